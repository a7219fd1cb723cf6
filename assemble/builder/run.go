package builder

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// Bounds on questions to a builder. The first one may pull the image of BuildKit and start it.
const (
	patience  = 5 * time.Minute
	maxAnswer = 8 << 20
)

// command returns a builder's command that has nothing to read, no terminal, and neither colors
// nor a window for passwords.
func (t Tool) command(ctx context.Context, args, env []string) *exec.Cmd {
	cmd := subprocess.Command(ctx, t.Command, slices.Concat(t.exec, args)...)
	detach(cmd)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "SOURCE_DATE_EPOCH=")
	}), "NO_COLOR=1", "SSH_ASKPASS_REQUIRE=never")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// ask runs a command that answers soon, and returns what it prints.
func (t Tool) ask(ctx context.Context, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := t.command(limited, args, nil)
	answer := &subprocess.Bound{Max: maxAnswer, End: cancel}
	said := &lines{}
	cmd.Stdout, cmd.Stderr = answer, said
	err := cmd.Run()
	said.end()
	what := strings.Join(slices.Concat([]string{t.Name}, t.exec, args[:verbs(args)]), " ")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case answer.Full:
		return "", fmt.Errorf("%s answers more than %d MiB", what, maxAnswer>>20)
	case limited.Err() != nil:
		return "", fmt.Errorf("%s does not answer within %s: look whether it works by hand", what, patience)
	case err != nil:
		if len(said.last) == 0 { // docker buildx reports some on standard output
			said.Write(answer.Text) //nolint:errcheck // it never fails
			said.end()
		}
		return "", explain(what, "", err, said.last, true)
	}
	return string(answer.Text), nil
}

// verbs counts the words before the flags.
func verbs(args []string) int {
	if n := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }); n > 0 {
		return n
	}
	return len(args)
}

// run runs the command that builds.
func (t Tool) run(ctx context.Context, r Request, args, env []string) error {
	cmd := t.command(ctx, args, env)
	said := &lines{note: r.Note}
	cmd.Stdout, cmd.Stderr = said, said // one writer: lines keep their order
	if t.Name == Podman {
		defer hangUp(cmd)()
	}
	err := cmd.Run()
	said.end()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		what := fmt.Sprintf("builder %s: building %s for %s", t.Name, r.shown(), r.Platform)
		return explain(what, said.seen.place(r), err, said.last, false)
	}
	return nil
}

// clean makes one safe line of what a builder reports.
func clean(s string) string { return output.Line(strings.TrimSpace(strip(s))) }
