package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
)

func newPlan(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Print what a release would do, without doing any of it",
		Long: `Plan prints what a release with the same flags would do: the bases of every image and
platform, every name at every registry and whether it is new, there already, moves or would be
refused, what has to be compiled and what changed since the release in the output directory,
the files, and where the credentials for each registry come from.

It does what check does, and reads the store and asks the registries. It builds nothing and
writes nothing to the disk or to a registry, but downloads Go modules that are not in the module
cache. It does not wait for a release that is running. The exit code is 1 if the release could
not go, with an error for each reason.`,
		Example: "  slipway plan\n  slipway plan -registry=ghcr.io/me -json",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.load(cmd.Context())
			if err != nil {
				return err
			}
			pr := f.printer(cmd)
			plan, err := release.MakePlan(cmd.Context(), p, release.Options{Out: f.out, Store: f.storeDir(), Progress: pr})
			pr.Close()
			if err != nil {
				return err
			}
			return errors.Join(f.show(cmd, plan), plan.Err())
		},
	}
	f.addProduct(cmd)
	f.addFloating(cmd)
	f.addSelection(cmd)
	f.addJSON(cmd)
	return cmd
}
