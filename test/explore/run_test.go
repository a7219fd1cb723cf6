//go:build linux

package explore

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// result is how a command ended.
type result struct {
	args           []string
	code           int
	stdout, stderr string
	hung           bool
	interrupted    bool
	took           time.Duration
}

// deadline is when a command hangs: even a loaded machine does in that time what walks ask for.
const deadline = 5 * time.Minute

// condition is what a command does not depend on, and how it ends.
type condition struct {
	umask  string   // "" is that of the test
	env    []string // TZ, LANG and others
	stdin  string   // the path of a file of the world
	signal syscall.Signal
	after  time.Duration // when the signal is sent
}

// run runs slipway, and checks what holds for every command.
func (w *world) run(args ...string) *result { return w.runIn(".", args...) }

// runIn runs it in a directory below the world.
func (w *world) runIn(dir string, args ...string) *result { return w.runAs(dir, w.how, args...) }

// runAs runs it in a condition.
func (w *world) runAs(dir string, how condition, args ...string) *result {
	w.script = append(w.script, how.line(dir, args))
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, command(), args...)
	if how.umask != "" {
		cmd = exec.CommandContext(ctx,
			"sh", append([]string{"-c", "umask " + how.umask + `; exec "$0" "$@"`, command()}, args...)...)
	}
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w.path(dir), append(w.env(), how.env...),
		&stdout, &stderr, 10*time.Second
	if how.stdin != "" {
		f, err := os.Open(w.path(how.stdin))
		must(w.t, err)
		defer f.Close()
		cmd.Stdin = f
	}
	r := &result{args: args}
	began := time.Now()
	err := cmd.Start()
	if err == nil {
		if how.signal != 0 {
			timer := time.AfterFunc(how.after, func() { cmd.Process.Signal(how.signal) }) //nolint:errcheck // it may have ended
			defer timer.Stop()
		}
		err = cmd.Wait()
	}
	r.took, r.hung, r.stdout, r.stderr = time.Since(began), ctx.Err() != nil, stdout.String(), stderr.String()
	r.interrupted = how.signal != 0
	if cmd.ProcessState == nil {
		w.fail(r, "it cannot be run: %v", err)
	}
	r.code = cmd.ProcessState.ExitCode()
	counted(args, r.code, r.took)
	w.lawful(r)
	return r
}

// line is a command as a line of a testscript.
func (how condition) line(dir string, args []string) string {
	words := []string{"exec", "slipway"}
	if how.umask != "" || len(how.env) > 0 || how.signal != 0 {
		words = append([]string{"#", "umask", how.umask}, how.env...)
		if how.signal != 0 {
			words = append(words, how.signal.String(), "after", how.after.String())
		}
		words = append(words, "\nexec slipway")
	}
	for _, a := range args {
		if strings.ContainsAny(a, " '\"$#*") || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", "''") + "'"
		}
		words = append(words, a)
	}
	text := strings.Join(words, " ")
	if how.stdin != "" {
		text = "stdin " + how.stdin + "\n" + text
	}
	if dir != "." {
		return "cd $WORK/" + dir + "\n" + text + "\ncd $WORK"
	}
	return text
}
