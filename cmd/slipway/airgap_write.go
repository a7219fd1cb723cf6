package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/platform"
)

func newExtract(f *flags) *cobra.Command {
	var system []string
	var o bundle.ExtractOptions
	var p proof
	cmd := &cobra.Command{
		Use:   "extract BUNDLE IMAGE -o=DIR|FILE.tar|FILE.tgz",
		Short: "Write one image of a bundle to a directory or a file",
		Long: `Extract writes one image of a bundle to an OCI layout, for crane push and skopeo, or to a
docker-archive, for docker load and podman load. Name the image by tag or by digest. An image
for several platforms stays an index, unless -platforms selects one of them or the bundle
is for one platform.

Extract replaces an existing file, and completes an existing directory that contains only files
of the same image, as an interrupted extraction leaves them; any other directory is an error.

A Helm chart is extracted to a file that ends in .tgz, for helm install.

A layout also contains the image's referrers, such as signatures and SBOMs, without a name.
crane push refuses a layout with several entries: use -without-referrers for it.

With -key, extract first verifies that the maintainer has signed every image of the bundle.`,
		Example: `  slipway airgap extract kpack-images.tar.zst ghcr.io/me/controller:0.16.1 -o controller
  slipway airgap extract kpack-images.tar.zst ghcr.io/me/controller:0.16.1 \
      -o controller.tar -platforms=linux/amd64`,
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if o.To == "" {
				return nil, misuse(cmd, "-o is missing: name a directory, or a file that ends in .tar")
			}
			from, image := args[0], args[1]
			if strings.HasSuffix(image, distfile.BundleSuffix) || strings.HasSuffix(image, distfile.GzipSuffix) {
				return nil, misuse(cmd, "IMAGE is %q, a bundle: write the bundle first, and then the image", image)
			}
			if len(system) > 0 {
				if len(system) > 1 {
					return nil, misuse(cmd, "-platforms: an extracted image is for one platform, or for all: name one")
				}
				var err error
				if o.Platform, err = platform.Parse(system[0]); err != nil {
					return nil, howto.Usage("%w", err)
				}
			}
			if err := p.read(from); err != nil {
				return nil, err
			}
			b, err := bundle.Open(from)
			if err != nil {
				return nil, err
			}
			defer b.Close()
			o.Progress = f.printer(cmd)
			if _, err := p.verify(o.Progress, []evidence.Material{evidence.FromBundle(from, b)}); err != nil {
				return nil, err
			}
			return b.Extract(cmd.Context(), image, o)
		}),
	}
	fileToWrite(cmd, &o.To, "", ": one that ends in .tar, or in .tgz for a chart; or a directory")
	choose(cmd, &o.Format, "format", "form of the result (default oci for a directory, docker-archive or chart "+
		"for a file)", "oci", "docker-archive", "chart")
	cmd.Flags().StringSliceVar(&system, "platforms", nil,
		"only these platforms: one, such as linux/amd64 or windows/amd64:ltsc2022")
	cmd.Flags().BoolVar(&o.WithoutReferrers, "without-referrers", false,
		"omit the referrers of the image, such as signatures")
	return add(cmd, p.add, f.addQuiet, f.addJSON)
}

func newApply(f *flags) *cobra.Command {
	var base, out string
	var p proof
	cmd := &cobra.Command{
		Use:   "apply DELTA",
		Short: "Make a bundle from a delta and its base",
		Long: `Apply makes a bundle from a delta and its base, the older bundle for the same platform.
"slipway airgap inspect DELTA" prints which base the delta needs. The result is the packed
bundle byte for byte, so its checksum is the one in SHA256SUMS.

With -key, apply first verifies that the maintainer has signed every image of the delta. The
base need not be signed: its layers are compared with the digests in the delta.`,
		Example: `  slipway airgap apply kpack-images.tar.zst.delta \
      -base=kpack-images-0.16.0.tar.zst -o kpack-images.tar.zst`,
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if base == "" || out == "" {
				return nil, misuse(cmd, "-base and -o are needed: name the older bundle, and the file to write")
			}
			if err := p.read(args[0], base); err != nil {
				return nil, err
			}
			pr := f.printer(cmd)
			return bundle.Apply(cmd.Context(), args[0],
				base, out, bundle.ApplyOptions{Progress: pr, Check: func(d, b *bundle.Bundle) error {
					_, err := p.verify(pr, []evidence.Material{evidence.FromBundle(args[0], d, b)})
					return err
				}})
		}),
	}
	fileFlag(cmd, &base, "base", "", "base of the delta: the older bundle", "zst")
	fileToWrite(cmd, &out, "", ": the bundle", "zst")
	return add(cmd, p.add, f.addQuiet, f.addJSON)
}

func newSplit(f *flags) *cobra.Command {
	limit := size(4 << 30)
	var out string
	var p proof
	cmd := &cobra.Command{
		Use:   "split BUNDLE",
		Short: "Split a bundle into volumes for media of limited size",
		Long: `Split writes the images of a bundle to several smaller bundles, its volumes, named
NAME.1of3.tar.zst and so on. Each volume contains complete images and loads without the
others. NAME.volumes.json lists the images and the checksum of each volume. An image that is
larger than a volume is an error.

With -key, split first verifies that the maintainer has signed every image.`,
		Example: `  slipway airgap split dist/kpack-images.tar.zst -max-size=4GiB
  slipway airgap split dist/kpack-images.tar.zst -max-size=700MB -out=volumes`,
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if err := p.read(args[0]); err != nil {
				return nil, err
			}
			pr := f.printer(cmd)
			o := bundle.SplitOptions{
				MaxSize: int64(limit), Dir: out, Progress: pr,
				Check: func(b *bundle.Bundle) error {
					_, err := p.verify(pr, []evidence.Material{evidence.FromBundle(args[0], b)})
					return err
				},
			}
			return bundle.Split(cmd.Context(), args[0], o)
		}),
	}
	cmd.Flags().Var(&limit, "max-size", "maximum size of a volume, such as 4GiB or 700MB")
	dirFlag(cmd, &out, "out", "", "output directory, for the volumes (default the current one)")
	return add(cmd, p.add, f.addQuiet, f.addJSON)
}
