package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/nodes"
)

// usageError is a mistake in the command line itself: exit code 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usage marks the errors of an argument check as mistakes in the command line, and names the help that shows how it is done.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w; see %s -h", err, cmd.CommandPath())}
		}
		return nil
	}
}

// report prints each problem of err on a line of its own and returns the exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	prefix := "error:"
	if colored(w) {
		prefix = "\x1b[31m" + prefix + "\x1b[0m"
	}
	for _, e := range split(err) {
		fmt.Fprintf(w, "%s %v\n", prefix, e)
	}
	unmet := (*nodes.Unmet)(nil)
	switch {
	case errors.As(err, &usageError{}):
		return 2
	case errors.As(err, &unmet):
		return 3
	}
	return 1
}

// split takes joined errors apart.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	// fmt.Errorf with several %w is a list, too, but its text is more than its parts.
	if err.Error() != errors.Join(joined.Unwrap()...).Error() {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

// colored reports whether w is a terminal whose user has nothing against colors (https://no-color.org).
func colored(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(f.Fd())
}

// stopped replaces the many forms that "context canceled" takes by the one reason: the signal.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
