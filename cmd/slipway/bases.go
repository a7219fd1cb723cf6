package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

func newBases(f *flags) *cobra.Command {
	var r renewal
	cmd := &cobra.Command{
		Use:   "bases",
		Short: "Lock the base images at the current digests of their tags",
		Long: `Bases resolves the tags of the base images in slipway.yaml, writes their digests to
bases.lock.yaml beside it, and prints what changed and why. A release to a registry is built on
the locked digests; if a tag has moved since, the release prints a warning and continues.

It also locks the images that FROM and COPY --from of the Dockerfiles name and slipway.yaml does
not, and prints the line that names them. A digest in a Dockerfile is printed and not locked.

A base that is locked already is not changed. With -update, bases resolves all tags again; a
digest in slipway.yaml or a Dockerfile is not changed. With -newer=patch or -newer=minor, it
replaces tags in slipway.yaml by the newest version of the same form that the registry has:
1.2.3-alpine by 1.2.4-alpine. Tags without a version, such as latest and ltsc2022, dates, and
tags in Dockerfiles are not replaced.

With -check, bases writes nothing; a base that -update would change is an error.`,
		Example: "  slipway bases\n  slipway bases -update -newer=patch\n  slipway bases -check -product=examples/hello/slipway.yaml",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := product.Load(cmd.Context(), product.Options{Path: f.product, Bases: true})
			if err != nil {
				return err
			}
			o := base.LockOptions{Update: r.update || r.check, Newer: r.newer}
			references, unread, err := release.References(cmd.Context(), p)
			if err != nil {
				return err
			}
			for _, u := range unread {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: not all images that Dockerfiles name are known: %s\n", u)
			}
			o.References = references
			l, err := base.Lock(cmd.Context(), p, network.New(network.Options{}), o)
			if err != nil {
				return err
			}
			if len(unread) > 0 {
				l.Entries = append(l.Entries, missing(l.Entries, p.LockedReferences)...)
			}
			if r.check {
				return errors.Join(f.show(cmd, bases{l.Changes}), outdated(l.Changes, f.product))
			}
			if err := product.WriteBases(cmd.Context(), p, l.Entries, l.References, saying(cmd)); err != nil {
				return err
			}
			return f.show(cmd, bases{l.Changes})
		},
	}
	f.addRenewal(cmd, &r, "what is locked")
	return cmd
}

// missing returns the entries of old whose base and platform list lacks.
func missing(list, old []product.LockedBase) []product.LockedBase {
	return slices.DeleteFunc(slices.Clone(old), func(o product.LockedBase) bool {
		return slices.ContainsFunc(list, func(e product.LockedBase) bool { return e.Base == o.Base && platform.Same(e.Platform, o.Platform) })
	})
}

// outdated returns an error for each base that would change.
func outdated(changes []base.Change, path string) error {
	var errs []error
	for _, c := range changes {
		if c.Changed {
			errs = append(errs, fmt.Errorf("%s: base %s for %s %s", filepath.Join(filepath.Dir(path), product.BasesLock), c.Base, c.Platform, outdatedBy(c)))
		}
	}
	return errors.Join(errs...)
}

// outdatedBy describes why a base would change, and what to run.
func outdatedBy(c base.Change) string {
	switch update := howto.Run("bases -update"); {
	case c.Raised != imagetag.None:
		return fmt.Sprintf("is %s, and %s is newer: run %s", c.From, c.To, howto.Run("bases -newer="+c.Raised.String()))
	case c.Old == nil:
		return "is not locked as " + c.Reference + ": run " + howto.Run("bases")
	case c.Old.Digest != c.New.Digest:
		return fmt.Sprintf("is locked at %s, and %s has moved to %s: run %s", c.Old.Digest, c.Reference, c.New.Digest, update)
	default:
		return "has another version or date than " + c.Reference + ": run " + update
	}
}

// bases is the printed result of locking bases.
type bases struct {
	Bases []base.Change `json:"bases"`
}

// WriteTable writes a line for each base with its old and new state.
func (b bases) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BASE\tPLATFORM\tREFERENCE\tVERSION\tDATE\tDIGEST\tWHY")
	for _, c := range b.Bases {
		if c.Old == nil {
			c.Old = &base.LockedBase{}
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
			reference = became(c.From, c.To)
		}
		for _, u := range c.Unsuitable {
			why += "; not " + u
		}
		if c.Where != "" {
			c.Base = c.Where
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Base, c.Platform, reference, became(c.Old.OSVersion, c.New.OSVersion), became(c.Old.Created, c.New.Created), became(c.Old.Digest, c.New.Digest), why)
	}
	return t.Flush()
}

// became formats a value that may have changed.
func became(was, is string) string {
	switch {
	case was == is && is == "":
		return "-"
	case was == is:
		return is
	case is == "":
		return was + " → -"
	case was == "":
		return "→ " + is
	}
	return was + " → " + is
}
