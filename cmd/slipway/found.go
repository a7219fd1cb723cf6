package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

func newImages(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "List the images of a release, and what names each",
		Long: `Images lists what the bundles of a release include: the product's images, and the third-party
images that its manifests name or that images.txt adds. For each it prints the operating systems
of the bundles and the places that name it. What images.txt removes is listed with the line.

It renders the manifests with made-up digests, compiles nothing and makes no request to a
registry.`,
		Example: "  slipway images\n  slipway images -product=examples/csi-driver-smb/slipway.yaml -json",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.load(cmd.Context())
			if err != nil {
				return err
			}
			all, err := release.Images(cmd.Context(), p)
			if err != nil {
				return err
			}
			return f.show(cmd, found{all})
		},
	}
	cmd.Flags().StringVar(&f.product, "product", product.File, "the product's description")
	cmd.Flags().StringSliceVar(&f.registry, "registry", nil, "host[/prefix] of the release, or destinations of slipway.yaml (default $SLIPWAY_REGISTRY)")
	f.addVersion(cmd)
	f.addJSON(cmd)
	cmd.MarkFlagFilename("product", "yaml", "yml") //nolint:errcheck // fails only where the flag is missing
	return cmd
}

// found is a printed list of images.
type found struct {
	Images []release.NeededImage `json:"images"`
}

// WriteTable writes a line for each place that names an image.
func (list found) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tBUNDLES\tFROM")
	for _, i := range list.Images {
		bundles := strings.Join(i.OS, ", ")
		if i.Omitted != "" {
			bundles = "none: " + i.Omitted
		}
		for n, place := range i.From {
			if n > 0 {
				i.Reference, bundles = "", ""
			}
			output.Fprintf(t, "%s\t%s\t%s\n", i.Reference, bundles, place)
		}
	}
	return t.Flush()
}
