package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
)

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
		Args: usage(cobra.ExactArgs(1)),
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if err := p.read(cmd, args[0]); err != nil {
				return nil, err
			}
			pr := f.printer(cmd)
			o := bundle.SplitOptions{MaxSize: int64(limit), Dir: out, Progress: pr, Check: func(b *bundle.Bundle) error {
				_, err := p.verify(pr, []evidence.Material{evidence.FromBundle(args[0], b)})
				return err
			}}
			return bundle.Split(cmd.Context(), args[0], o)
		}),
	}
	cmd.Flags().Var(&limit, "max-size", "maximum size of a volume, such as 4GiB or 700MB")
	dirFlag(cmd, &out, "out", "", "directory for the volumes (default the current one)")
	return add(cmd, p.add, f.addQuiet, f.addJSON)
}
