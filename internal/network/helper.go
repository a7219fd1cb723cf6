package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/docker/cli/cli/config/types"
	"github.com/docker/docker-credential-helpers/client"
	"github.com/docker/docker-credential-helpers/credentials"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// ask runs a credential helper. One that takes too long is killed with its children.
func (k keychain) ask(ctx context.Context, helper, server string) (types.AuthConfig, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, k.limit, errors.New("it took too long"))
	defer cancel()
	defer progress.Doing(helper)()
	found, err := client.Get(func(args ...string) client.Program { return newProgram(ctx, helper, args) }, server)
	switch {
	case credentials.IsErrCredentialsNotFound(err):
		return types.AuthConfig{}, nil
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return types.AuthConfig{}, fmt.Errorf("%s has not answered for %v: run %s get by hand with %s as its input, or take it out of Docker's config.json", helper, k.limit, helper, server)
	case err != nil && ctx.Err() != nil:
		return types.AuthConfig{}, context.Cause(ctx)
	case err != nil:
		return types.AuthConfig{}, fmt.Errorf("%s: %w", helper, err)
	// https://docs.docker.com/reference/cli/docker/login/#credential-helper-protocol
	case found.Username == "<token>":
		return types.AuthConfig{IdentityToken: found.Secret}, nil
	}
	return types.AuthConfig{Username: found.Username, Password: found.Secret}, nil
}

// stderr is where a helper asks its user: the process's own, before main gives libraries another.
var stderr = os.Stderr

// program is a run of a helper, as the protocol's own client wants it.
type program struct{ *exec.Cmd }

func newProgram(ctx context.Context, helper string, args []string) client.Program {
	cmd := subprocess.Command(ctx, helper, args...)
	cmd.Stderr = stderr
	return program{cmd}
}

// Input sets what the program reads.
func (p program) Input(r io.Reader) { p.Stdin = r }
