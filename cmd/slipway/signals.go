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
	// echo is the time within which a repeated signal counts as the same one. A terminal
	// sends its interrupt to every process, and the go command, which runs "go tool
	// slipway", passes it on again.
	echo = time.Second
	// grace is the time for running work to clean up. Supervisors
	// usually kill after 10 seconds.
	grace = 8 * time.Second
)

// interruptible returns a context that the first SIGINT or SIGTERM cancels, so that
// running work cleans up. After the grace period the process ends anyway, because some
// work cannot be interrupted, such as a template that loops. A second signal ends it at
// once. Neither loses data: files get their final names only when they are complete.
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
					cancel(signalOf(s))
				case time.Since(first) > echo:
					subprocess.Kill()
					os.Exit(exitCode(signalOf(s)))
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

// giveUp reports what it did not wait for and ends the process and the
// programs that it has started.
func giveUp(stderr io.Writer, cause error) {
	subprocess.Kill()
	printed := make(chan struct{})
	go func() { // standard error may have no reader
		defer close(printed)
		what := ""
		if unfinished := progress.Unfinished(); len(unfinished) > 0 {
			what = ": " + strings.Join(unfinished, ", ")
		}
		fmt.Fprintln(stderr,
			output.Line(fmt.Sprintf("error: %v; not waiting any longer for what does not end%s", cause, what)))
	}()
	select {
	case <-printed:
	case <-time.After(time.Second):
	}
	os.Exit(exitCode(cause))
}

// halted is the error of work that a signal has stopped.
type halted syscall.Signal

func signalOf(s os.Signal) halted {
	number, _ := s.(syscall.Signal)
	return halted(number)
}

// Error names the signal.
func (s halted) Error() string { return "stopped by signal: " + syscall.Signal(s).String() }
