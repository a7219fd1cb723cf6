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

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// ask runs a credential helper. One that takes too long is killed with its children.
func (k keychain) ask(ctx context.Context, helper, server string) (types.AuthConfig, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, k.limit, errors.New("it took too long"))
	defer cancel()
	defer progress.Doing(helper)()
	var p *program
	found, err := client.Get(func(args ...string) client.Program {
		p = newProgram(ctx, cancel, helper, args)
		return p
	}, server)
	switch {
	case credentials.IsErrCredentialsNotFound(err):
		return types.AuthConfig{}, nil
	case err != nil && p.out.Full:
		return types.AuthConfig{}, fmt.Errorf("%s has written more than %d bytes, as no credential helper does: %s",
			helper, maxHelper, byHand(helper, server))
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return types.AuthConfig{}, fmt.Errorf("%s has not answered for %v: %s", helper, k.limit, byHand(helper, server))
	case err != nil && ctx.Err() != nil:
		return types.AuthConfig{}, context.Cause(ctx)
	case err != nil && p.err == nil:
		return types.AuthConfig{}, fmt.Errorf("%s has not answered as the protocol of credential helpers wants it: %s",
			helper, byHand(helper, server))
	case err != nil:
		// By the protocol it has written the reason, but whatever it wrote may be the password.
		return types.AuthConfig{}, fmt.Errorf("%s: %w: %s", helper, p.err, byHand(helper, server))
	// https://docs.docker.com/reference/cli/docker/login/#credential-helper-protocol
	case found.Username == "<token>":
		return types.AuthConfig{IdentityToken: found.Secret}, nil
	}
	return types.AuthConfig{Username: found.Username, Password: found.Secret}, nil
}

func byHand(helper, server string) string {
	return fmt.Sprintf("run %s get by hand with %s as its input, or take it out of Docker's config.json",
		helper, server)
}

// stderr is where a helper asks its user: the process's own, before main gives libraries another.
var stderr = os.Stderr

// maxHelper bounds in bytes the answer of a helper, and its messages to its user.
const maxHelper = 64 << 10

// program is a run of a helper, as the protocol's own client wants it.
type program struct {
	*exec.Cmd

	out    *subprocess.Bound
	stderr *output.Writer
	err    error // that it ended with
}

func newProgram(ctx context.Context, cancel func(), helper string, args []string) *program {
	p := &program{Cmd: subprocess.Command(ctx, helper, args...), stderr: output.New(stderr)}
	p.out = &subprocess.Bound{Max: maxHelper, End: cancel}
	p.Stdout, p.Stderr = p.out, &limited{to: p.stderr, left: maxHelper}
	return p
}

// Input sets what the program reads.
func (p *program) Input(r io.Reader) { p.Stdin = r }

// Output runs the program and returns what it writes.
func (p *program) Output() ([]byte, error) {
	p.err = p.Run()
	return p.out.Text, errors.Join(p.err, p.stderr.Flush())
}

// limited passes on the beginning of the bytes written to it.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if n := min(len(p), l.left); n > 0 {
		l.left -= n
		if _, err := l.to.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
