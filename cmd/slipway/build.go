package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

func newBuild(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build the images into the store",
		Long: `Build compiles the programs, makes the images in the store, and writes their digests to
release.build.json. The images have no names in a registry yet; "slipway publish" gives them
theirs. Build needs Go.`,
		Example: `  slipway build
  slipway build -platforms=linux/amd64,windows/amd64:ltsc2022
  slipway build -images=controller,webhook -q`,
		Args: usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s stage) error {
			r, err := build.Build(cmd.Context(), s.product, s.store, s.progress)
			if err != nil {
				return err
			}
			if err := s.claim(stagefile.Build.Name); err != nil {
				return err
			}
			return s.write(cmd, r, stagefile.Build.Name, builtImages(r))
		}),
	}
	f.addProduct(cmd)
	f.addSelection(cmd)
	f.addClones(cmd)
	f.addJSON(cmd)
	return cmd
}
