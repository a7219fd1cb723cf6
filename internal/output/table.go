package output

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table is text in columns. A table without rows is not written, nor is its header.
type Table struct {
	columns *tabwriter.Writer
	header  string
}

// NewTable begins a table on w. Tabs separate the columns of its header, which may begin with an
// empty line; "" is none.
func NewTable(w io.Writer, header string) *Table {
	return &Table{columns: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), header: header}
}

// Row adds a row, whose columns tabs of the format separate. Arguments are cleaned as those of
// [Fprintf].
func (t *Table) Row(format string, args ...any) {
	if t.header != "" {
		fmt.Fprintln(t.columns, t.header)
		t.header = ""
	}
	Fprintf(t.columns, format+"\n", args...) //nolint:errcheck // Flush returns it
}

// Flush writes the rows. Its error is that of the writer.
func (t *Table) Flush() error { return t.columns.Flush() }
