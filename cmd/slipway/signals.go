package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// echo is how long a further signal counts as the same one: a terminal sends its interrupt to every process, and the go command,
// under which "go tool slipway" runs, passes it on once more.
const echo = time.Second

// interruptible returns a context that the first SIGINT or SIGTERM ends; what is running then cleans up. A second signal ends the
// process at once.
func interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				switch {
				case first.IsZero():
					first = time.Now()
					cancel(fmt.Errorf("stopped by signal: %v", s))
				case time.Since(first) > echo:
					os.Exit(1)
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
