package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard/handoff"
)

func newFetch(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch PLAN",
		Short: "Bring the files of a release that other machines made",
		Long: `Fetch brings the files of a release from the registry into the output directory, after
"slipway merge -plan=PLAN -push" has put them there on another machine: in a cluster, for
instance. PLAN is what "slipway plan -push" printed. SHA256SUMS is written last.`,
		Example: "  slipway fetch ghcr.io/me/hello-plans@sha256:… -out=dist",
		Args:    usage(cobra.ExactArgs(1)),
		RunE: f.prints(func(cmd *cobra.Command, args []string) (result table, err error) {
			err = f.withPlan(cmd, args[0], func(p *handoff.Plan) error {
				unlock, err := release.Hold(cmd.Context(), f.out, nil)
				if err != nil {
					return err
				}
				defer unlock()
				names, err := p.FetchFiles(cmd.Context(), f.out, func(names []string) error {
					return release.Claim(f.out, p.Name, names)
				}, func(names []string) error {
					if err := release.Supersede(f.out, distfile.Lock); err != nil {
						return err
					}
					return release.Sweep(f.out, names, nil, f.printer(cmd))
				})
				result = line(fmt.Sprintf("%d files of %s %s in %s", len(names), p.Name, p.Version, f.out))
				return err
			})
			return result, err
		}),
	}
	return add(cmd, f.addPlaces, f.addQuiet)
}
