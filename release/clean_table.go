package release

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Leftover is a directory or a manifest that runs have left on purpose.
type Leftover struct {
	What  string    `json:"what"` // "store", "output", "part", or "manifest" in a registry
	Where string    `json:"where"`
	Bytes int64     `json:"bytes,omitempty"`
	Used  time.Time `json:"used,omitzero"` // when a file of it was last written
	// Files counts the files of slipway that were removed, or are to be; the parts of a store.
	Files int `json:"files,omitempty"`
	// Kept is the reason why it stays, without these files; "" if it was removed, or is to be.
	Kept string `json:"kept,omitempty"`
}

// Leftovers are listed in the order in which they are removed.
type Leftovers struct {
	Removed bool       `json:"removed"` // or only listed
	All     []Leftover `json:"all"`
}

// WriteTable prints a line for each.
func (l *Leftovers) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "WHAT\tWHERE\tSIZE\tLAST USED\tSTATE")
	for _, o := range l.All {
		state, size, used := "removed", "", ""
		if !l.Removed {
			state = "to be removed"
		}
		switch {
		case o.Kept != "" && o.Files > 0:
			state = fmt.Sprintf("files %s: %d, but %s", state, o.Files, o.Kept)
		case o.Kept != "":
			state = "kept: " + o.Kept
		}
		if o.Bytes > 0 {
			size = progress.Size(o.Bytes)
		}
		if !o.Used.IsZero() {
			used = o.Used.UTC().Format(time.DateTime)
		}
		t.Row("%s\t%s\t%s\t%s\t%s", o.What, o.Where, cmp.Or(size, "-"), cmp.Or(used, "-"), state)
	}
	return t.Flush()
}
