package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

func newList(f *flags) *cobra.Command {
	var charts, digests bool
	cmd := &cobra.Command{
		Use:   "list BUNDLE",
		Short: "List the names of a bundle's images",
		Long: `List prints the name of each image, one per line: the format of images.txt and of the image
lists of k3s and RKE2. With -charts it prints those of the Helm charts instead. It reads only the
metadata of the bundle.`,
		Example: `  slipway airgap list kpack-images.tar.zst
  slipway airgap list -digests kpack-images.tar.zst`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := bundle.Inspect(args[0])
			if err != nil {
				return err
			}
			return f.show(cmd, imageList{c, c.Images, charts, digests})
		},
	}
	cmd.Flags().BoolVar(&charts, "charts", false, "print the names of the charts instead of those of the images")
	cmd.Flags().BoolVar(&digests, "digests", false, "add the digest to each name")
	f.addJSON(cmd)
	return cmd
}

// imageList is the printed list of a bundle's images.
type imageList struct {
	contents        *bundle.Contents
	Images          []bundle.Image `json:"images"` // and charts
	charts, digests bool
}

func (l imageList) WriteTable(w io.Writer) error {
	return l.contents.WriteNames(w, l.charts, l.digests)
}
