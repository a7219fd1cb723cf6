package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/pin"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/release"
)

// renewal has the flags of commands that keep digests and tags current.
type renewal struct {
	update, check bool
	newer         imagetag.Level
}

// addRenewal adds the flags of commands that keep digests and tags current.
func (f *flags) addRenewal(cmd *cobra.Command, r *renewal, current string) {
	cmd.Flags().BoolVar(&r.update, "update", false, "renew "+current+", too")
	cmd.Flags().BoolVar(&r.check, "check", false, "write nothing, and fail where -update would change something")
	cmd.Flags().TextVar(&r.newer, "newer", imagetag.None, "raise tags to newer versions: patch or minor")
	offer(cmd, "newer", "patch", "minor")
	f.addJSON(cmd)
}

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
		Example: "  slipway bases\n  slipway bases -update -newer=patch\n  slipway bases -check " +
			"-product=examples/hello/slipway.yaml",
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
				l.Keep(p.LockedReferences)
			}
			changes := base.Table{Bases: l.Changes}
			if r.check {
				return verdict{
					changes,
					changes.Outdated(filepath.Join(filepath.Dir(f.product), product.BasesLock)),
				}, nil
			}
			return changes, product.WriteBases(cmd.Context(), p, l.Entries, l.References, saying(cmd))
		}),
	}
	f.addRenewal(cmd, &r, "what is locked")
	return add(cmd, f.addDescription)
}

func newPin(f *flags) *cobra.Command {
	var r renewal
	cmd := &cobra.Command{
		Use:   "pin",
		Short: "Pin third-party images by digest",
		Long: `Pin finds the references to third-party images in images.txt, in the templates that are in the
repository of slipway.yaml, and below release in slipway.yaml. To each tag without a digest it
adds the current one, repository:tag@sha256:…, and prints what changed. Comments, order and all
other text are not changed. Either all files are written or none.

What the rendered manifests name besides, in third-party modules and charts, is pinned in
images.lock.yaml, beside slipway.yaml. A release to a registry does not look up tags: an image
that nothing pins is an error. Entries that nothing names any more are removed.

A reference with a digest is not changed. With -update, pin renews the digests of tags that have
moved. With -newer=patch or -newer=minor, it replaces tags by the newest version of the same form
that the registry has: 1.2.3-alpine by 1.2.4-alpine. Tags without a version, such as latest and
ltsc2022, and dates are not replaced. A new image that breaks a rule of slipway audit is an error,
if nodes of the product would run the wrong one, and platforms that it lacks are a warning.

With -check, pin writes nothing; a reference that -update would change is an error.`,
		Example: "  slipway pin\n  slipway pin -update -newer=patch -json\n  slipway pin -check " +
			"-product=examples/hello/slipway.yaml",
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			p, err := product.Load(cmd.Context(), product.Options{Path: f.product, Made: f.paths(), Bases: true})
			if err != nil {
				return nil, err
			}
			o := pin.Options{Update: r.update || r.check, Newer: r.newer}
			result, err := pin.Find(cmd.Context(), p, release.Named, transfer.New(network.Options{}), o)
			if err == nil {
				err = release.JudgePins(p, result)
			}
			if err != nil {
				return nil, err
			}
			if !r.check {
				if err := result.Write(cmd.Context(), saying(cmd)); err != nil {
					return nil, err
				}
			}
			for _, w := range result.Warnings {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", w)
			}
			if r.check {
				return verdict{result, result.Outdated()}, nil
			}
			return result, nil
		}),
	}
	f.addRenewal(cmd, &r, "digests of tags that have moved")
	return add(cmd, f.addDescription)
}
