package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

func newPublish(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "publish",
		Short: "Push the images that were built, and the charts",
		Long: `Publish pushes the images in release.build.json to the registry, or to the embedded registry
if none is named. It finds the third-party images of the manifests and of images.txt, fetches
them, and writes release.lock.json. With
-platforms or -images it writes release.part.json instead, for "slipway merge". Nothing that
the registry has is sent again. Helm charts are made and pushed once the images have their names,
and are written to the output directory. A tag that already refers to another digest is an error.
Credentials come from the usual Docker configuration.`,
		Example: `  slipway publish
  slipway publish -registry=ghcr.io/me/kpack`,
		Args: usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s *release.Stage) (table, error) {
			r, err := s.Built()
			if err != nil {
				return nil, err
			}
			if s.Product, err = release.Complete(cmd.Context(), s.Product); err != nil {
				return nil, err
			}
			if len(s.Product.Selected) == 0 {
				l, err := s.Publish(cmd.Context(), r)
				if err != nil {
					return nil, err
				}
				return stageResult{lockImages(l), l}, s.Write(l, lock.Name, stagefile.Build.Name)
			}
			p, err := s.PublishPart(cmd.Context(), r)
			if err != nil {
				return nil, err
			}
			return stageResult{partImages(p), p}, s.Write(p, lock.PartName, stagefile.Build.Name)
		}),
	}
	return add(cmd, f.addProduct, f.addSelection, f.addFloating, f.addJSON)
}
