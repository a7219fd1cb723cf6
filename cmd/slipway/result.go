package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/plainjson"
)

// table is a result with a human-readable form.
type table interface{ WriteTable(w io.Writer) error }

// verdict is a result that is printed before an error about it.
type verdict struct {
	table
	err error
}

// line is the result of a command without -json.
type line string

// WriteTable writes the line.
func (l line) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintln(w, string(l))
	return err
}

// prints returns the RunE of a command with a result.
func (f *flags) prints(run func(*cobra.Command, []string) (table, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		defer func() { f.progress.Close() }()
		result, err := run(cmd, args)
		if err != nil || result == nil {
			return err
		}
		f.progress.Close()
		v, ok := result.(verdict)
		if !ok {
			v.table = result
		}
		return errors.Join(f.show(cmd, v.table), v.err)
	}
}

// show prints a result to standard output: as a table, or with -json as JSON.
func (f *flags) show(cmd *cobra.Command, v table) error {
	if !f.json {
		return v.WriteTable(cmd.OutOrStdout())
	}
	text, err := plainjson.Indent(v)
	if err == nil {
		_, err = cmd.OutOrStdout().Write(text)
	}
	return err
}
