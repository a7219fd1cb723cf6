package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
)

func newDiff(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two bundles",
		Long: `Diff lists the images that one bundle has and the other has not, those that changed, and how many bytes are new: what a delta carries, and what
a registry that has the old images is sent. Only the heads of the bundles are read. Either may be a delta.`,
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
