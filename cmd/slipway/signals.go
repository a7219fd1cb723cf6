package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

const (
	// echo is how long a further signal counts as the same one: a terminal sends its interrupt to
	// every process, and the go command, under which "go tool slipway" runs, passes it on once
	// more.
	echo = time.Second
	// grace is how long what runs may take to clean up. Supervisors kill after 10 seconds, as a
	// rule.
	grace = 8 * time.Second
)

// interruptible returns a context that the first SIGINT or SIGTERM ends; what is running then
// cleans up. What has not ended by itself after the grace does not get to: not everything can be
// interrupted, such as a template that loops. A second signal ends the process at once. Nothing
// is lost by that, since files appear under their names only when they are complete.
func interruptible(ctx context.Context, stderr io.Writer) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		var first time.Time
		var late <-chan time.Time
		for {
			select {
			case <-done:
				return
			case <-late:
				giveUp(stderr, context.Cause(ctx))
			case s := <-signals:
				switch {
				case first.IsZero():
					first, late = time.Now(), time.After(grace)
					cancel(fmt.Errorf("stopped by signal: %v", s))
				case time.Since(first) > echo:
					subprocess.Kill()
					os.Exit(1)
				}
			}
		}
	}()
	return ctx, func() {
		subprocess.Kill()
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// giveUp ends the process and the programs that it has started, and says what it did not wait for.
func giveUp(stderr io.Writer, cause error) {
	subprocess.Kill()
	said := make(chan struct{})
	go func() { // nobody may read standard error
		defer close(said)
		what := ""
		if unfinished := progress.Unfinished(); len(unfinished) > 0 {
			what = ": " + strings.Join(unfinished, ", ")
		}
		fmt.Fprintln(stderr, output.Line(fmt.Sprintf("error: %v; not waiting any longer for what does not end%s", cause, what)))
	}()
	select {
	case <-said:
	case <-time.After(time.Second):
	}
	os.Exit(1)
}
