package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/release"
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
		RunE: f.stage(func(cmd *cobra.Command, s *release.Stage) (table, error) {
			r, err := build.Build(cmd.Context(), s.Product, s.Store, s.Progress)
			if err == nil {
				err = s.Claim(stagefile.Build.Name)
			}
			if err != nil {
				return nil, err
			}
			return stageResult{builtImages(r), r}, s.Write(r, stagefile.Build.Name)
		}),
	}
	return add(cmd, f.addProduct, f.addSelection, f.addClones, f.addJSON)
}
