package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/plainjson"
)

// table is a result with a human-readable form.
type table interface{ WriteTable(w io.Writer) error }

// show prints a result to standard output: as a table, or with -json as JSON.
func (f *flags) show(cmd *cobra.Command, v table) error {
	if !f.json {
		return v.WriteTable(cmd.OutOrStdout())
	}
	return writeJSON(cmd.OutOrStdout(), v)
}

func writeJSON(w io.Writer, v any) error {
	text, err := plainjson.Indent(v)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
