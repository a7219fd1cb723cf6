package pin

import (
	"errors"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
)

// Outdated returns an error for each reference that would change.
func (r *Result) Outdated() error {
	var errs []error
	for _, c := range r.Changes {
		if c.To == "" {
			errs = append(errs,
				fmt.Errorf("%s: %s would be removed (%s): run %s", c.Place, c.From, c.Why, howto.Run("pin")))
			continue
		}
		command := "pin -update"
		switch {
		case c.Raised != imagetag.None:
			command = "pin -newer=" + c.Raised.String()
		case c.Why == Moved:
			command = "pin -newer=patch"
		case c.Why == NotPinned:
			command = "pin"
		}
		errs = append(errs,
			fmt.Errorf("%s: %s would become %s (%s): run %s", c.Place, c.From, c.To, c.Why, howto.Run(command)))
	}
	return errors.Join(errs...)
}

// WriteTable writes a line for each reference that changes, and for each that should and cannot.
func (r *Result) WriteTable(w io.Writer) error {
	if len(r.Changes)+len(r.Kept) == 0 {
		_, err := fmt.Fprintln(w, "Nothing to change.")
		return err
	}
	t := output.NewTable(w, "PLACE\tREFERENCE\tWHY")
	for _, c := range r.Changes {
		t.Row("%s\t%s\t%s", c.Place, output.Change(c.From, c.To), c.Why)
	}
	for _, k := range r.Kept {
		t.Row("%s\t%s\tkept: %s", k.Place, k.Reference, k.Reason)
	}
	return t.Flush()
}
