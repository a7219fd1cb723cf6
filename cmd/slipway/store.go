package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/store"
)

func newStore(f *flags) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "store",
		Short: "Check or remove the store of built images",
	})
	cmd.AddCommand(newStoreVerify(f), newClean(f))
	return cmd
}

func newStoreVerify(f *flags) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every byte of the store",
		Long: `Verify reads the store on all cores, and compares every blob with its digest, every record with
its checksum, and every compiled program and unpacked archive with its recorded digest. Each
damaged file is a line, and the exit code is then 1. With -repair, verify removes the damaged
files instead, and the next run builds or fetches them again.`,
		Example: "  slipway store verify\n  slipway store verify -repair -store=/var/cache/slipway",
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			pr := f.printer(cmd)
			st, err := store.Existing(f.storeDir())
			if err != nil {
				return nil, err
			}
			unlock, err := st.Lock(cmd.Context(), pr.Printf)
			if err != nil {
				return nil, err
			}
			defer unlock()
			r, err := st.Verify(cmd.Context(), store.VerifyOptions{Repair: repair, Progress: pr})
			if err != nil {
				return nil, err
			}
			return verdict{r, r.Err()}, nil
		}),
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "remove damaged files, so that the next run makes them again")
	return add(cmd, f.addStore, f.addQuiet, f.addJSON)
}
