package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/product"
)

// usageError is an error in the command line: exit code 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// misuse returns an error in the command line, which names the help of the command.
func misuse(cmd *cobra.Command, format string, args ...any) error {
	return usageError{fmt.Errorf(format+"; see %s -h", append(args, cmd.CommandPath())...)}
}

// exitUnread is the exit code where something could not be read, so that nothing is known of it:
// a registry refuses, fails or is not there.
const exitUnread = 3

// explain prints each problem of err on its own line and returns the exit code. It
// indents the further lines of a problem, such as compiler messages, so that none
// looks like another error.
func explain(w *output.Writer, err error) int {
	if err == nil {
		return 0
	}
	var lines []string
	for _, e := range output.Split(err) {
		lines = append(lines, remedied(e))
	}
	for _, line := range product.Once(lines) {
		w.Red("error:") //nolint:errcheck // there is no other place to say so
		fmt.Fprintf(w, " %s\n", strings.ReplaceAll(line, "\n", "\n  "))
	}
	unmet := (*nodes.Unmet)(nil)
	switch {
	case errors.As(err, &usageError{}):
		return 2
	case errors.As(err, &unmet):
		return 3
	case errors.Is(err, lint.ErrUnread), outcome.Failed(err):
		return exitUnread
	}
	return 1
}

// remedied returns the text of an error. One that ends with a file that does not exist has no
// remedy yet.
func remedied(err error) string {
	text := err.Error()
	if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(text, syscall.ENOENT.Error()) {
		text += ": correct the path"
	}
	return text
}

// flagGroup matches what Cobra says of flags that exclude each other, or belong together.
var flagGroup = lazyregexp.New(
	`^if any flags in the group \[(.*)\] are set (?:none of the others can be; \[(\S+) (\S+).*\] were all set|they must all be set; missing \[(\S+).*\])$`)

// grouped says of an error in the combination of flags what to do.
func grouped(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	m := flagGroup.FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		return err
	case m[4] != "":
		return misuse(cmd, "-%s belong together: -%s is missing", strings.ReplaceAll(m[1], " ", " and -"), m[4])
	}
	return misuse(cmd, "-%s and -%s exclude each other: leave one out", m[2], m[3])
}

// stopped replaces the many forms of "context canceled" by their one cause, the signal.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
