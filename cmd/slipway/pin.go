package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/pin"
	"github.com/slipway-dev/slipway/release"
)

func newPin(f *flags) *cobra.Command {
	var r renewal
	cmd := &cobra.Command{
		Use:   "pin",
		Short: "Pin third-party images by digest in images.txt and templates",
		Long: `Pin finds the references to third-party images in images.txt, in the templates that are in the
repository of slipway.yaml, and below release in slipway.yaml. To each tag without a digest it
adds the current one, repository:tag@sha256:…, and prints what changed. Comments, order and all
other text are not changed. Either all files are written or none.

What the rendered manifests name besides, in modules and charts of others, is pinned in
images.lock.yaml, beside slipway.yaml. A release to a registry does not look up tags: an image
that nothing pins is an error. Entries that nothing names any more are removed.

A reference with a digest is not changed. With -update, pin renews the digests of tags that have
moved. With -newer=patch or -newer=minor, it replaces tags by the newest version of the same form
that the registry has: 1.2.3-alpine by 1.2.4-alpine. Tags without a version, such as latest and
ltsc2022, and dates are not replaced. A warning lists the platforms, such as a Windows build,
that the new image of a tag lacks.

With -check, pin writes nothing; a reference that -update would change is an error.`,
		Example: "  slipway pin\n  slipway pin -update -newer=patch -json\n  slipway pin -check -product=examples/hello/slipway.yaml",
		Args:    usage(cobra.NoArgs),
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			p, err := product.Load(cmd.Context(), product.Options{Path: f.product, Made: f.paths(), Bases: true})
			if err != nil {
				return nil, err
			}
			o := pin.Options{Update: r.update || r.check, Newer: r.newer}
			result, err := pin.Find(cmd.Context(), p, release.Named, transfer.New(network.Options{}), o)
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
	return cmd
}
