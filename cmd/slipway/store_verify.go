package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

func newStoreVerify(f *flags) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every byte of the store",
		Long: `Verify reads the store on all cores. It compares every blob with its digest, every record with
its checksum, and every compiled program and unpacked archive with its recorded digest. It
prints a line for each damaged file, and exits with 1 if there is any. With -repair it removes
the damaged files instead, and the next run builds or fetches them again.`,
		Example: "  slipway store verify\n  slipway store verify -repair -store=/var/cache/slipway",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			pr := f.printer(cmd)
			defer pr.Close()
			st, err := store.Existing(f.storeDir())
			if err != nil {
				return err
			}
			unlock, err := st.Lock(cmd.Context(), pr.Printf)
			if err != nil {
				return err
			}
			defer unlock()
			r, err := st.Verify(cmd.Context(), store.VerifyOptions{Repair: repair, Progress: pr})
			if err != nil {
				return err
			}
			pr.Close()
			return errors.Join(f.show(cmd, storeReport{r}), unrepaired(r))
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "remove damaged files, so that the next run makes them again")
	f.addStore(cmd)
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// unrepaired returns an error for each file that is still damaged.
func unrepaired(r *store.Report) error {
	var errs []error
	for _, p := range r.Damaged {
		if !p.Removed {
			errs = append(errs, errors.New(p.String()))
		}
	}
	if len(errs) > 0 {
		errs = append(errs, fmt.Errorf("%d damaged files in %s: run slipway store verify -repair -store=%s to remove them, and the next run makes them again", len(errs), r.Store, r.Store))
	}
	return errors.Join(errs...)
}

// storeReport is the printed result of verifying the store.
type storeReport struct{ *store.Report }

// WriteTable writes what was removed and the totals. Remaining damage is reported as errors.
func (r storeReport) WriteTable(w io.Writer) error {
	left := 0
	for _, p := range r.Damaged {
		if !p.Removed {
			left++
			continue
		}
		if _, err := fmt.Fprintln(w, p); err != nil {
			return err
		}
	}
	if left > 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s is intact: %d blobs (%s), %d records, %d files of work\n", r.Store, r.Blobs, progress.Size(r.Bytes), r.Records, r.Files)
	return err
}
