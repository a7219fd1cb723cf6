package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.read(cmd, args[0]); err != nil {
				return err
			}
			pr := f.printer(cmd)
			defer pr.Close()
			o := bundle.SplitOptions{MaxSize: int64(limit), Dir: out, Progress: pr, Check: func(b *bundle.Bundle) error {
				_, err := p.check(pr, args, []*bundle.Bundle{b})
				return err
			}}
			v, err := bundle.Split(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			pr.Close()
			return f.show(cmd, v)
		},
	}
	cmd.Flags().Var(&limit, "max-size", "maximum size of a volume, such as 4GiB or 700MB")
	cmd.Flags().StringVar(&out, "out", "", "directory for the volumes (default the current one)")
	cmd.MarkFlagDirname("out") //nolint:errcheck // fails only where the flag is missing
	p.add(cmd)
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}
