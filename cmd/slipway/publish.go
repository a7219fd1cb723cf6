package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
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
		RunE: f.stage(func(cmd *cobra.Command, s stage) error {
			r, err := s.built()
			if err != nil {
				return err
			}
			if s.product, err = release.Complete(cmd.Context(), s.product); err != nil {
				return err
			}
			o := network.Options{Progress: s.progress}
			if len(s.product.Selected) == 0 {
				l, err := s.publish(cmd.Context(), r, o)
				if err != nil {
					return err
				}
				return s.write(cmd, l, lock.Name, lockImages(l), stagefile.Build.Name)
			}
			p, err := publish.PublishPart(cmd.Context(), s.product, s.store, r, o)
			if err != nil {
				return err
			}
			l, err := p.Local()
			if err != nil {
				return err
			}
			if err := s.claim(release.PartFiles(p)...); err != nil {
				return err
			}
			if err := release.WriteArtifacts(cmd.Context(), s.store, l, f.out); err != nil {
				return err
			}
			return s.write(cmd, p, lock.PartName, partImages(p), stagefile.Build.Name)
		}),
	}
	f.addProduct(cmd)
	f.addSelection(cmd)
	f.addFloating(cmd)
	f.addJSON(cmd)
	return cmd
}

// publish publishes all of a product: images, charts, files for download, and last the floating tags.
func (s stage) publish(ctx context.Context, r *built.Result, o network.Options) (*lock.Lock, error) {
	prepared, err := publish.Prepare(ctx, s.product, s.store, r, o)
	if err != nil {
		return nil, err
	}
	l := prepared.Lock
	if len(s.product.Charts) > 0 {
		_, charts, err := release.Render(ctx, s.product, l, nil)
		if err != nil {
			return nil, err
		}
		if err := release.AddCharts(prepared, charts); err != nil {
			return nil, err
		}
	}
	if err := prepared.Push(ctx); err != nil {
		return nil, err
	}
	if err := s.claim(release.Files(l)...); err != nil {
		return nil, err
	}
	if err := release.WriteCharts(s.store, l, s.flags.out); err != nil {
		return nil, err
	}
	if err := release.WriteArtifacts(ctx, s.store, l, s.flags.out); err != nil {
		return nil, err
	}
	return l, publish.Move(ctx, s.store, l, o)
}
