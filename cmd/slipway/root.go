package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const about = `Slipway cuts mixed Linux and Windows Kubernetes releases from one Linux machine.

It builds every image that slipway.yaml describes, pushes them as multi-platform indexes, renders a release.yaml in which
every image is pinned by digest, and packs bundles for clusters without a network. Where no registry is named it makes a
snapshot: all of this against an embedded registry, without a network, with real files in dist/.`

func newRoot() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "slipway",
		Short: "Cut mixed Linux and Windows Kubernetes releases from one Linux machine",
		Long:  about,
		Example: `  slipway release                                  a snapshot of slipway.yaml's product in dist/
  slipway release -registry=ghcr.io/me             the same, pushed to a registry
  slipway airgap inspect dist/kpack-images.tar.zst what a bundle holds`,
		SilenceUsage:  true,
		SilenceErrors: true,
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s -h", err, cmd.CommandPath())}
	})
	var f flags
	root.AddCommand(newRelease(&f), newMerge(&f), newBuild(&f), newPublish(&f), newRender(&f), newLint(&f), newNodes(&f), newAirgap(&f), newServe(&f), newBases(&f), newClean(&f), newVersion(&f))
	return root
}

// group makes a command that only holds others: alone it shows its help, and a word that names none of its commands is an error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		err := fmt.Errorf("unknown command %q for %q; see %s -h", args[0], cmd.CommandPath(), cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			err = fmt.Errorf("unknown command %q for %q: is %s meant?", args[0], cmd.CommandPath(), strings.Join(near, " or "))
		}
		return usageError{err}
	}
	return cmd
}
