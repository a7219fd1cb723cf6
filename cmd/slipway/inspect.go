package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

func newInspect(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect BUNDLE",
		Short: "List the images of a bundle",
		Long: `Inspect lists the images of a bundle with their platforms, sizes and digests, and the images
that were omitted with the reason. It reads only the metadata at the beginning of the file,
so it is fast however large the bundle is. All of it is what the file says of itself: only
"slipway airgap verify -key" proves who made it.`,
		Example: `  slipway airgap inspect dist/kpack-images.tar.zst
  slipway airgap inspect -json dist/kpack-images.linux-amd64.tar.zst`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := bundle.Inspect(args[0])
			if err != nil {
				return err
			}
			return f.show(cmd, inspected{Contents: c})
		},
	}
	f.addJSON(cmd)
	return cmd
}

// inspected is what a bundle says of itself.
type inspected struct {
	*bundle.Contents

	// Proven is false: nothing was verified.
	Proven bool `json:"proven"`
}

func (i inspected) WriteTable(w io.Writer) error {
	if err := i.Contents.WriteTable(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "nothing of this is proven: airgap verify with -key tells who made it")
	return err
}
