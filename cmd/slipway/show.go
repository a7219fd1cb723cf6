package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
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
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
