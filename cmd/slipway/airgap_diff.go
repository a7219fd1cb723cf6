package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

func newDiff(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two bundles",
		Long: `Diff lists the images that were added, removed or changed, and the size of the new layers:
what a delta contains, and what push sends to a registry that has the old images. It reads
only the metadata of the bundles. Either of them may be a delta.`,
		Example: `  slipway airgap diff old/kpack-images.tar.zst dist/kpack-images.tar.zst
  slipway airgap diff -json old/kpack-images.tar.zst dist/kpack-images.tar.zst`,
		Args: usage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := bundle.Inspect(args[0])
			if err != nil {
				return err
			}
			to, err := bundle.Inspect(args[1])
			if err != nil {
				return err
			}
			return f.show(cmd, bundle.Diff(from, to))
		},
	}
	f.addJSON(cmd)
	return cmd
}
