package base

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Outdated returns an error for each base that would change in a lock file.
func (t Table) Outdated(file string) error {
	var errs []error
	for _, c := range t.Bases {
		if c.Changed {
			errs = append(errs, fmt.Errorf("%s: base %s for %s %s", file, c.Base, c.Platform, c.outdated()))
		}
	}
	return errors.Join(errs...)
}

// outdated describes why a base would change, and what to run.
func (c Change) outdated() string {
	switch update := howto.Run("pin bases -update"); {
	case c.Raised != imagetag.None:
		return fmt.Sprintf("is %s, and %s is newer: run %s", c.From, c.To,
			howto.Run("pin bases -newer="+c.Raised.String()))
	case c.Old == nil:
		return "is not locked as " + c.Reference + ": run " + howto.Run("pin bases")
	case c.Old.Digest != c.New.Digest:
		return fmt.Sprintf("is locked at %s, and %s has moved to %s: run %s", c.Old.Digest, c.Reference,
			c.New.Digest, update)
	default:
		return "has another version or date than " + c.Reference + ": run " + update
	}
}

// Table is the printed result of locking bases.
type Table struct {
	Bases []Change `json:"bases"`
}

// WriteTable writes a line for each base with its old and new state.
func (t Table) WriteTable(w io.Writer) error {
	columns := output.NewTable(w, "BASE\tPLATFORM\tREFERENCE\tVERSION\tDATE\tDIGEST\tWHY")
	for _, c := range t.Bases {
		if c.Old == nil {
			c.Old = &LockedBase{}
		}
		why := c.Why
		switch {
		case c.Moved != "":
			why = "pinned in slipway.yaml; the tag now refers to " + c.Moved
			if c.Where != "" {
				why = "pinned there; the tag now refers to " + c.Moved
			}
		case why == "":
			why = "-"
		}
		reference := c.Reference
		if c.Raised != imagetag.None {
			reference = output.Change(c.From, c.To)
		}
		for _, u := range c.Unsuitable {
			why += "; not " + u
		}
		if c.Where != "" {
			c.Base = c.Where
		}
		columns.Row("%s\t%s\t%s\t%s\t%s\t%s\t%s", c.Base, c.Platform, reference,
			output.Change(c.Old.OSVersion, c.New.OSVersion), output.Change(c.Old.Created, c.New.Created),
			output.Change(c.Old.Digest, c.New.Digest), why)
	}
	return columns.Flush()
}

// Keep keeps entries of an older lock for bases and platforms that l lacks.
func (l *Locked) Keep(old []product.LockedBase) {
	for _, o := range old {
		same := func(e product.LockedBase) bool { return e.Base == o.Base && platform.Same(e.Platform, o.Platform) }
		if !slices.ContainsFunc(l.Entries, same) {
			l.Entries = append(l.Entries, o)
		}
	}
}
