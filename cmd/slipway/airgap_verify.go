package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

func newVerify(f *flags) *cobra.Command {
	var sums, lockFile string
	cmd := &cobra.Command{
		Use:   "verify BUNDLE ...",
		Short: "Check every byte of bundles",
		Long: `Verify reads bundles completely and compares every blob with its digest. With -sums it also
compares the files with SHA256SUMS, and with -lock the images with release.lock.json. It
prints a line for each problem and names the images that a damaged blob belongs to.`,
		Example: `  slipway airgap verify kpack-images.tar.zst
  slipway airgap verify -sums=SHA256SUMS -lock=release.lock.json kpack-images.*.tar.zst`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			pr := f.printer(cmd)
			defer pr.Close()
			o := bundle.VerifyOptions{Sums: sums, Progress: pr}
			if lockFile != "" {
				l, err := lock.Read(lockFile)
				if err != nil {
					return err
				}
				o.Compare = airgap.Compare(l)
			}
			var all verified
			var errs []error
			for _, path := range args {
				r, err := bundle.Verify(cmd.Context(), path, o)
				if cmd.Context().Err() != nil {
					return err
				}
				if err != nil {
					errs = append(errs, err)
					continue
				}
				all.Bundles = append(all.Bundles, *r)
				for _, p := range r.Problems {
					errs = append(errs, fmt.Errorf("%s: %s", path, p))
				}
			}
			pr.Close()
			return errors.Join(f.show(cmd, all), errors.Join(errs...))
		},
	}
	cmd.Flags().StringVar(&sums, "sums", "", "SHA256SUMS of the release, to compare the files with")
	cmd.Flags().StringVar(&lockFile, "lock", "", "release.lock.json of the release, to compare the images with")
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// verified is the printed result of verifying bundles.
type verified struct {
	Bundles []bundle.Report `json:"bundles"`
}

// WriteTable writes a line for each intact bundle; damage is reported as errors.
func (v verified) WriteTable(w io.Writer) error {
	for _, r := range v.Bundles {
		if len(r.Problems) > 0 {
			continue
		}
		note := ""
		if r.Note != "" {
			note = "; note: " + r.Note
		}
		if _, err := fmt.Fprintf(w, "%s is intact: %d images, %d blobs, %s%s\n", r.Path, r.Images, r.Blobs, progress.Size(r.Bytes), note); err != nil {
			return err
		}
	}
	return nil
}
