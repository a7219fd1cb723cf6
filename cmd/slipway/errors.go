package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
)

// misuse returns an error in the command line, which names the help of the command.
func misuse(cmd *cobra.Command, format string, args ...any) error {
	return howto.Usage(format+"; see %s -h", append(args, cmd.CommandPath())...)
}

// explain prints each problem of err on its own line and returns the exit code. The
// further lines of a problem, such as compiler messages, are indented, so that none
// looks like another error.
func explain(w *output.Writer, err error) int {
	if err == nil {
		return 0
	}
	var lines []string
	for _, e := range output.Split(err) {
		e = network.Cause(e)
		if line := relative(e, howto.Remedied(e)); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, line := range product.Once(lines) {
		w.Red("error:") //nolint:errcheck // there is no other place to say so
		fmt.Fprintf(w, " %s\n", strings.ReplaceAll(line, "\n", "\n  "))
	}
	return exitCode(err)
}

// relative replaces the directories of files that the system has reported to err in a text by what
// [disk.Short] makes of them.
func relative(err error, text string) string {
	switch e := err.(type) { //nolint:errorlint // each error in the tree is visited
	case *fs.PathError:
		if dir, name := filepath.Split(e.Path); filepath.IsAbs(dir) {
			text = strings.ReplaceAll(text, dir, strings.TrimSuffix(disk.Short(e.Path), name))
		}
	case interface{ Unwrap() []error }:
		for _, e := range e.Unwrap() {
			text = relative(e, text)
		}
		return text
	}
	if next := errors.Unwrap(err); next != nil {
		return relative(next, text)
	}
	return text
}

// Exit codes, which docs/release.md lists.
const (
	codeFailed  = 1   // findings, or refused, or it could not be done
	codeUsage   = 2   // a mistake in the command line
	codeUnread  = 3   // a registry refuses, fails or is not there, so that nothing is known
	codeStopped = 128 // and the number of the signal that stopped it: 130 is Ctrl-C
)

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	stopped := halted(0)
	switch {
	case errors.As(err, &stopped):
		return codeStopped + int(stopped)
	case errors.Is(err, howto.ErrUsage):
		return codeUsage
	case errors.Is(err, lint.ErrUnread), outcome.Failed(err):
		return codeUnread
	}
	return codeFailed
}

// flagGroup matches Cobra's error about flags that exclude each other.
var flagGroup = lazyregexp.New(
	`^if any flags in the group \[.*\] are set none of the others can be; \[(\S+) (\S+).*\] were all set$`)

// grouped adds the remedy to an error in the combination of flags.
func grouped(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if m := flagGroup.FindStringSubmatch(err.Error()); m != nil {
		return misuse(cmd, "-%s and -%s exclude each other: leave one out", m[1], m[2])
	}
	return err
}

// stopped replaces the many forms of "context canceled" by their one cause, the signal.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
