package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
)

func newBases(f *flags) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "bases",
		Short: "Lock the bases of slipway.yaml at the current digests of their tags",
		Long: `Bases resolves the tags of the base images in slipway.yaml, writes their digests to
bases.lock.yaml beside it, and prints what changed. A release to a registry is built on the
locked digests; if a tag has moved since, the release prints a warning and continues. A digest
in slipway.yaml is not changed.

With -check, bases writes nothing; a base that is not locked or has moved is an error.`,
		Example: "  slipway bases\n  slipway bases -check -product=examples/hello/slipway.yaml",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := product.Load(cmd.Context(), product.Options{Path: f.product, Bases: true})
			if err != nil {
				return err
			}
			list, changes, err := base.Lock(cmd.Context(), p, network.New(network.Options{}))
			if err != nil {
				return err
			}
			if check {
				return errors.Join(f.show(cmd, bases{changes}), outdated(changes, f.product))
			}
			if err := product.WriteBases(cmd.Context(), p, list, waiting(cmd, p.Dir)); err != nil {
				return err
			}
			return f.show(cmd, bases{changes})
		},
	}
	cmd.Flags().StringVar(&f.product, "product", product.File, "the product's description")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and fail if something would change")
	cmd.MarkFlagFilename("product", "yaml", "yml") //nolint:errcheck // fails only where the flag is missing
	f.addJSON(cmd)
	return cmd
}

// outdated returns an error for each base that would change.
func outdated(changes []base.Change, path string) error {
	var errs []error
	for _, c := range changes {
		if c.Changed {
			errs = append(errs, fmt.Errorf("%s: base %s for %s %s: run %s", filepath.Join(filepath.Dir(path), product.BasesLock), c.Base, c.Platform, outdatedBy(c), howto.Run("bases")))
		}
	}
	return errors.Join(errs...)
}

// outdatedBy describes why a base would change.
func outdatedBy(c base.Change) string {
	switch {
	case c.Old == nil:
		return "is not locked as " + c.Reference
	case c.Old.Digest != c.New.Digest:
		return fmt.Sprintf("is locked at %s, and %s has moved to %s", c.Old.Digest, c.Reference, c.New.Digest)
	}
	return "has another version or date than " + c.Reference
}

// bases is the printed result of locking bases.
type bases struct {
	Bases []base.Change `json:"bases"`
}

// WriteTable writes a line for each base with its old and new state.
func (b bases) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BASE\tPLATFORM\tREFERENCE\tVERSION\tDATE\tDIGEST")
	for _, c := range b.Bases {
		if c.Old == nil {
			c.Old = &base.LockedBase{}
		}
		note := ""
		if c.Moved != "" {
			note = ", pinned in slipway.yaml; the tag now refers to " + c.Moved
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s%s\n", c.Base, c.Platform, c.Reference, became(c.Old.OSVersion, c.New.OSVersion), became(c.Old.Created, c.New.Created), became(c.Old.Digest, c.New.Digest), note)
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
