package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/platform"
)

func newExtract(f *flags) *cobra.Command {
	var from, system string
	var o bundle.ExtractOptions
	var p proof
	cmd := &cobra.Command{
		Use:   "extract IMAGE -from=BUNDLE -to=DIR|FILE.tar|FILE.tgz",
		Short: "Write one image of a bundle to a directory or a file",
		Long: `Extract writes one image of a bundle to an OCI layout, for crane push and skopeo, or to a
docker-archive, for docker load and podman load. Name the image by tag or by digest. An image
for several platforms stays an index, unless -platform selects one of them or the bundle is
for one platform.

Extract replaces an existing file. It completes an existing directory that contains only
files of the same image, as an interrupted extraction leaves them; any other is an error.

A Helm chart is extracted to a file that ends in .tgz, for helm install.

A layout also contains the image's referrers, such as signatures and SBOMs, without a name.
crane push refuses a layout with several entries: use -without-referrers for it.

With -key, extract first verifies that the maintainer has signed every image of the bundle.`,
		Example: `  slipway airgap extract ghcr.io/me/kpack/controller:0.16.1 -from=kpack-images.tar.zst -to=controller
  slipway airgap extract ghcr.io/me/kpack/controller:0.16.1 -from=kpack-images.tar.zst -to=controller.tar -platform=linux/amd64`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if from == "" || o.To == "" {
				return nil, misuse(cmd, "-from and -to are needed: name the bundle, and a directory or a file that ends in .tar")
			}
			if system != "" {
				var err error
				if o.Platform, err = platform.Parse(system); err != nil {
					return nil, usageError{err}
				}
			}
			if err := p.read(cmd, from); err != nil {
				return nil, err
			}
			b, err := bundle.Open(from)
			if err != nil {
				return nil, err
			}
			defer b.Close() //nolint:errcheck // it was only read
			o.Progress = f.printer(cmd)
			if _, err := p.verify(o.Progress, []evidence.Material{evidence.FromBundle(from, b)}); err != nil {
				return nil, err
			}
			return b.Extract(cmd.Context(), args[0], o)
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "the bundle")
	cmd.Flags().StringVar(&o.To, "to", "", "a directory, or a file that ends in .tar, or in .tgz for a chart")
	cmd.Flags().StringVar(&o.Format, "format", "", "oci, docker-archive or chart (default oci for a directory, docker-archive or chart for a file)")
	cmd.Flags().StringVar(&system, "platform", "", "select this platform, such as linux/amd64 or windows/amd64:ltsc2022")
	cmd.Flags().BoolVar(&o.WithoutReferrers, "without-referrers", false, "omit the referrers of the image, such as signatures")
	return add(cmd, p.add, f.addQuiet, f.addJSON)
}
