package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
)

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
		Example: `  slipway airgap apply kpack-images.tar.zst.delta -base=kpack-images-0.16.0.tar.zst -out=kpack-images.tar.zst`,
		Args:    usage(cobra.ExactArgs(1)),
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if base == "" || out == "" {
				return nil, misuse(cmd, "-base and -out are needed: name the older bundle, and the file to write")
			}
			if err := p.read(cmd, args[0], base); err != nil {
				return nil, err
			}
			pr := f.printer(cmd)
			return bundle.Apply(cmd.Context(), args[0], base, out, bundle.ApplyOptions{Progress: pr, Check: func(d, b *bundle.Bundle) error {
				_, err := p.verify(pr, []evidence.Material{evidence.FromBundle(args[0], d, b)})
				return err
			}})
		}),
	}
	fileFlag(cmd, &base, "base", "", "the base of the delta: the older bundle", "zst")
	fileFlag(cmd, &out, "out", "", "file to write the bundle to", "zst")
	return add(cmd, p.add, f.addQuiet, f.addJSON)
}
