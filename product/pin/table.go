package pin

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
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
	for _, c := range r.Packages {
		errs = append(errs, fmt.Errorf("%s: %s (%s): run %s", product.PackagesLock, c, c.Why,
			howto.Run("pin -update")))
	}
	return errors.Join(errs...)
}

// String returns what changes.
func (c PackageChange) String() string {
	at := fmt.Sprintf("stage %s of image %s for %s", c.Stage, c.Image, c.Platform)
	if c.Base != "" {
		at = fmt.Sprintf("base %s for %s", c.Base, c.Platform)
	}
	switch {
	case c.Package == "":
		return at + " would be locked anew"
	case c.From == "":
		return fmt.Sprintf("%s %s would be added to %s", c.Package, c.To, at)
	case c.To == "":
		return fmt.Sprintf("%s %s would be removed from %s", c.Package, c.From, at)
	}
	return fmt.Sprintf("%s %s would become %s in %s", c.Package, c.From, c.To, at)
}

// WriteTable writes a line for each reference that changes, and for each that should and cannot.
func (r *Result) WriteTable(w io.Writer) error {
	if len(r.Changes)+len(r.Kept)+len(r.Packages) == 0 {
		_, err := fmt.Fprintln(w, "Nothing to change.")
		return err
	}
	if len(r.Changes)+len(r.Kept) > 0 {
		if err := r.writeReferences(w); err != nil {
			return err
		}
	}
	if len(r.Packages) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tSTAGE\tPLATFORM\tPACKAGE\tVERSION\tWHY")
	for _, c := range r.Packages {
		in := c.Image
		if c.Base != "" {
			in = "base " + c.Base
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", in, c.Stage, c.Platform, c.Package,
			output.Change(c.From, c.To), c.Why)
	}
	return t.Flush()
}

// writeReferences writes the lines of references.
func (r *Result) writeReferences(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PLACE\tREFERENCE\tWHY")
	for _, c := range r.Changes {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Place, output.Change(c.From, c.To), c.Why)
	}
	for _, k := range r.Kept {
		fmt.Fprintf(t, "%s\t%s\tkept: %s\n", k.Place, k.Reference, k.Reason)
	}
	return t.Flush()
}
