package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/publish"
)

func newPublish(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Push the images that were built",
		Long: `Publish pushes what release.lock.json lists to the registry, or to the embedded one where none is named, resolves images.txt, and
writes release.lock.json anew with every repository. What the registry has is not sent again; a tag that stands for another digest is an
error. Credentials come from the usual Docker configuration.`,
		Example: `  slipway publish
  slipway publish -registry=ghcr.io/me/kpack`,
		Args: usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s stage) error {
			l, err := s.lock("build")
			if err != nil {
				return err
			}
			l, err = publish.Publish(cmd.Context(), s.product, s.store, l, network.Options{Progress: s.progress})
			if err != nil {
				return err
			}
			return s.write(cmd, l)
		}),
	}
	f.addProduct(cmd)
	f.addSelection(cmd)
	f.addJSON(cmd)
	return cmd
}
