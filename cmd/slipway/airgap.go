package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
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
	cmd.AddCommand(newPack(f), newInspect(f), newVerify(f), newList(f), newExtract(f), newPush(f), newMirrorConfig(f), newDiff(f), newApply(f), newSplit(f))
	return cmd
}

func newPack(f *flags) *cobra.Command {
	var bases []string
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Pack the bundles that slipway.yaml lists",
		Long: `Pack writes the bundles that slipway.yaml lists, usually one per platform and one for all
platforms, each with a list of its image names. It reads the store and release.lock.json.
RKE2 and k3s image directories, ctr, docker load, podman and skopeo read bundles.

With -base, pack writes deltas instead: NAME.tar.zst.delta contains only the layers that an
older bundle, its base, lacks. "slipway airgap apply" makes the bundle from the delta and its
base. If the base is an older release.lock.json, it means all bundles of that release.`,
		Example: `  slipway airgap pack
  slipway airgap pack -platforms=windows/amd64:ltsc2022
  slipway airgap pack -images=controller
  slipway airgap pack -base=old/kpack-images.tar.zst`,
		Args: usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s stage) error {
			l, partial, err := s.packable()
			if err != nil {
				return err
			}
			l = f.selected(s.product, l)
			// Layers of bases are in the registry only, because nothing has needed them here.
			if !l.Snapshot {
				if err := transfer.New(network.Options{Progress: s.progress}).Pull(cmd.Context(), s.store, l); err != nil {
					return err
				}
			}
			o := airgap.PackOptions{Dir: f.out, First: s.product.Airgap.FirstImage, Partial: partial || len(s.product.Selected) > 0, Progress: s.progress}
			var packed []bundle.File
			if len(bases) > 0 { // a delta changes no file of the release
				packed, err = airgap.PackDelta(cmd.Context(), s.store, l, targets(s.product), bases, o)
			} else if err = s.claim(bundleFiles(s.product)...); err == nil {
				packed, err = airgap.Pack(cmd.Context(), s.store, l, targets(s.product), o)
			}
			if err != nil {
				return err
			}
			if len(packed) == 0 {
				return fmt.Errorf("nothing was packed: no bundle for one platform takes %v: pack without -platforms and -images", s.product.Selected)
			}
			if err := release.Settle(f.out, s.product.Name); err != nil {
				return err
			}
			s.progress.Close()
			return f.show(cmd, files{packed, airgap.MissingBuilds(l)})
		}),
	}
	cmd.Flags().StringSliceVar(&bases, "base", nil, "older bundles, or an older release.lock.json, as bases of deltas")
	f.addProduct(cmd)
	f.addSelection(cmd)
	f.addJSON(cmd)
	return cmd
}

// selected returns the part of a lock that p selects. -images names images of the
// product, so images of images.txt are never selected.
func (f *flags) selected(p *product.Product, l *lock.Lock) *lock.Lock {
	if len(p.Selected) == 0 {
		return l
	}
	part := *l
	part.Images = slices.DeleteFunc(slices.Clone(l.Images), func(i lock.Image) bool {
		return !slices.ContainsFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
	})
	if len(f.images) > 0 {
		part.ThirdParty = nil
	}
	return &part
}

// targets returns the bundles for the selected platforms. A selection has no bundle for
// all platforms, because it would not be complete.
func targets(p *product.Product) []airgap.Target {
	all := release.Targets(p.Airgap.Bundles)
	if len(p.Selected) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(t airgap.Target) bool {
		return t.Platform.IsZero() || !slices.ContainsFunc(p.Platforms, func(have platform.Platform) bool { return platform.Same(have, t.Platform) })
	})
}

// bundleFiles returns the names of the files that pack makes.
func bundleFiles(p *product.Product) (names []string) {
	for _, t := range targets(p) {
		names = append(names, t.Name+distfile.BundleSuffix, t.Name+distfile.ListSuffix)
	}
	return names
}

// files is the printed result of packing bundles.
type files struct {
	Bundles []bundle.File `json:"bundles"`
	// MissingBuilds are the Windows builds that third-party images lack.
	MissingBuilds []airgap.MissingBuild `json:"missingBuilds,omitempty"`
}

func (f files) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "BUNDLE\tIMAGES\tSIZE\tSHA256")
	for _, b := range f.Bundles {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", filepath.Base(b.Path), len(b.Contents.Images), progress.Size(b.Size), b.SHA256)
	}
	for _, b := range f.Bundles {
		for _, left := range b.Contents.Omitted {
			fmt.Fprintf(t, "%s\tomits %s: %s\n", filepath.Base(b.Path), left.Name, left.Reason)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return airgap.WriteMissingBuilds(w, f.MissingBuilds)
}
