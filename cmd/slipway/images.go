package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
)

func newImages(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "images",
		Short: "List the images of a release, and what names each",
		Long: `Images lists what the bundles of a release include: the product's images, and the third-party
images that its manifests name or that images.txt adds. For each it prints the operating systems
of the bundles and the places that name it. What images.txt removes is listed with the line.

Images renders the manifests with placeholder digests, compiles nothing and makes no request to
a registry.`,
		Example: "  slipway images\n  slipway images -product=examples/hello/slipway.yaml -json",
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			p, err := f.load(cmd.Context())
			if err != nil {
				return nil, err
			}
			all, err := release.Images(cmd.Context(), p)
			return release.ImageList{Images: all}, err
		}),
	}, f.addDescription, f.addRegistry, f.addVersion, f.addJSON)
}
