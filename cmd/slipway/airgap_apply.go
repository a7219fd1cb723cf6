package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/progress"
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if base == "" || out == "" {
				return usageError{fmt.Errorf("-base and -out are needed: name the older bundle, and the file to write; see %s -h", cmd.CommandPath())}
			}
			if err := p.read(cmd, args[0], base); err != nil {
				return err
			}
			pr := f.printer(cmd)
			defer pr.Close()
			made, err := bundle.Apply(cmd.Context(), args[0], base, out, bundle.ApplyOptions{Progress: pr, Check: func(d, b *bundle.Bundle) error {
				if !p.asked() {
					return nil
				}
				return p.one(pr, evidence.FromBundle(args[0], d, b))
			}})
			if err != nil {
				return err
			}
			pr.Close()
			return f.show(cmd, applied{made})
		},
	}
	cmd.Flags().StringVar(&base, "base", "", "the base of the delta: the older bundle")
	cmd.Flags().StringVar(&out, "out", "", "file to write the bundle to")
	cmd.MarkFlagFilename("base", "zst") //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagFilename("out", "zst")  //nolint:errcheck // as above
	p.add(cmd)
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// applied is the printed result of making a bundle.
type applied struct{ *bundle.File }

func (a applied) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d images, %s, sha256 %s\n", a.Path, len(a.Contents.Images), progress.Size(a.Size), a.SHA256)
	return err
}
