package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
)

// stage returns the RunE of a command that runs a single stage. It reads the product, and locks the
// store and the output directory, which must not have a release of another product.
func (f *flags) stage(run func(*cobra.Command, *release.Stage) (table, error)) func(*cobra.Command, []string) error {
	return f.prints(func(cmd *cobra.Command, _ []string) (result table, err error) {
		p, pr, err := f.begin(cmd)
		if err != nil {
			return nil, err
		}
		st, leave, err := f.open(cmd.Context(), pr)
		if err != nil {
			return nil, err
		}
		defer leave()
		unlock, err := release.Hold(cmd.Context(), f.out, pr)
		if err != nil {
			return nil, err
		}
		defer unlock()
		if err := release.CheckOut(f.out, p.Name, nil); err != nil {
			return nil, err
		}
		err = st.Mend(cmd.Context(), pr, func() (err error) {
			result, err = run(cmd, &release.Stage{Product: p, Store: st, Out: f.out, Channel: f.channel, Progress: pr})
			return err
		})
		return result, err
	})
}
