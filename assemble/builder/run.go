package builder

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
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

// versionForm is a version among other words. Distributions add to it: 0.13.1+ds1-3.
var versionForm = lazyregexp.New(`(?:^|\s)(v?[0-9]+\.[0-9]+(?:\.[0-9]+)?[^\s,]*)`)

// versionIn returns the version that a program reports, or else all of its first line: programs
// that are built from a commit report that instead.
func versionIn(out string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if m := versionForm.FindStringSubmatch(line); m != nil {
		return clean(m[1])
	}
	return clean(line)
}

// newEnough reports a version that is older than the oldest that works. One that is not a release
// (a commit, v0.0.0+unknown) is taken as new.
func newEnough(what, version, oldest, remedy string) error {
	v, o := canonical(version), canonical(oldest)
	if !semver.IsValid(v) || semver.Compare(v, "v0.0.0") == 0 || semver.Compare(v, o) >= 0 {
		return nil
	}
	return fmt.Errorf("%s %s is too old: %s is the oldest that makes layouts which can be made again: %s",
		what, strings.TrimPrefix(version, "v"), strings.TrimPrefix(oldest, "v"), remedy)
}

// canonical returns a version with three numbers and nothing else: a release candidate has what
// the release has.
func canonical(version string) string {
	v := "v" + strings.TrimPrefix(version, "v")
	if n := strings.IndexAny(v, "-+~"); n >= 0 {
		v = v[:n]
	}
	return semver.Canonical(v)
}
