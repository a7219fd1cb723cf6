package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
)

func newInspect(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect BUNDLE",
		Short: "List the images of a bundle",
		Long: `Inspect lists the images of a bundle with their platforms, sizes and digests, and the images
that were omitted with the reason. It reads only the metadata at the beginning of the file,
so it is fast however large the bundle is.`,
		Example: `  slipway airgap inspect dist/kpack-images.tar.zst
  slipway airgap inspect -json dist/kpack-images.linux-amd64.tar.zst`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := bundle.Inspect(args[0])
			if err != nil {
				return err
			}
			return f.show(cmd, c)
		},
	}
	f.addJSON(cmd)
	return cmd
}
