package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/base"
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
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			p, err := product.Load(cmd.Context(), product.Options{Path: f.product, Bases: true})
			if err != nil {
				return nil, err
			}
			o := base.LockOptions{Update: r.update || r.check, Newer: r.newer}
			references, unread, err := release.References(cmd.Context(), p)
			if err != nil {
				return nil, err
			}
			for _, u := range unread {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: not all images that Dockerfiles name are known: %s\n", u)
			}
			o.References = references
			l, err := base.Lock(cmd.Context(), p, network.New(network.Options{}), o)
			if err != nil {
				return nil, err
			}
			if len(unread) > 0 {
				l.Entries = append(l.Entries, missing(l.Entries, p.LockedReferences)...)
			}
			changes := base.Table{Bases: l.Changes}
			if r.check {
				return verdict{changes, changes.Outdated(filepath.Join(filepath.Dir(f.product), product.BasesLock))}, nil
			}
			return changes, product.WriteBases(cmd.Context(), p, l.Entries, l.References, saying(cmd))
		}),
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
