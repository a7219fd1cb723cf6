package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
)

func newAirgap(f *flags) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "airgap",
		Short: "Pack, inspect and push bundles for clusters without a network",
		Example: `  slipway airgap pack
  slipway airgap inspect dist/kpack-images.tar.zst
  slipway airgap push dist/kpack-images.tar.zst -to=registry.internal/mirror`,
	})
	cmd.AddCommand(newPack(f), newInspect(f), newExtract(f), newPush(f),
		newMirrorConfig(f), newDiff(f), newApply(f), newSplit(f))
	return cmd
}

func newPack(f *flags) *cobra.Command {
	var bases []string
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Pack the bundles that slipway.yaml lists",
		Long: `Pack writes the bundles that slipway.yaml lists, usually one per platform and one for all
platforms, each with a list of its image names. Pack reads the store and release.lock.json.
RKE2 and k3s image directories, ctr, docker load, podman and skopeo read bundles.

With -base, pack writes deltas instead: NAME.tar.zst.delta contains only the layers that an
older bundle, its base, lacks. "slipway airgap apply" makes the bundle from the delta and its
base. If the base is an older release.lock.json, it means all bundles of that release.`,
		Example: `  slipway airgap pack
  slipway airgap pack -platforms=windows/amd64:ltsc2022
  slipway airgap pack -images=controller
  slipway airgap pack -base=old/kpack-images.tar.zst`,
		RunE: f.stage(func(ctx context.Context, s *release.Stage) (table, error) {
			return s.Pack(ctx, bases, len(f.images) > 0)
		}),
	}
	cmd.Flags().StringSliceVar(&bases, "base", nil, "base of the delta: "+
		"an older bundle, or an older release.lock.json for all; may be repeated")
	return add(cmd, f.addProduct, f.addSelection, f.addJSON)
}
