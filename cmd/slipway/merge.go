package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

func newMerge(f *flags) *cobra.Command {
	var binary bool
	cmd := &cobra.Command{
		Use:   "merge LOCK ...",
		Short: "Make one release out of parts that several machines built",
		Long: `Merge joins the release.lock.json of parts, each of which one machine built and pushed with release -platforms or -only. It makes and tags
the index of every image, brings from the registry what the store lacks, and then does what release does after publish: release.yaml, airgap
bundles, checksums. The parts must make up the whole product, and -registry must be theirs. Artifacts are taken from beside the locks.`,
		Example: `  slipway release -registry=ghcr.io/me/kpack -platforms=linux   -out=dist-linux
  slipway release -registry=ghcr.io/me/kpack -platforms=windows -out=dist-windows
  slipway merge   -registry=ghcr.io/me/kpack dist-linux/release.lock.json dist-windows/release.lock.json`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			p, err := f.load()
			if err != nil {
				return err
			}
			var locks []*lock.Lock
			var parts []string
			for _, path := range paths {
				l, err := lock.Read(path)
				if err != nil {
					return err
				}
				locks, parts = append(locks, l), append(parts, filepath.Dir(path))
			}
			pr := f.printer(cmd)
			summary, err := release.Merge(cmd.Context(), p, locks, release.Options{Out: f.out, Store: f.storeDir(), Parts: parts, Progress: pr, Slipway: binary})
			pr.Close()
			if err != nil {
				return err
			}
			return f.show(cmd, summary)
		},
	}
	f.addProduct(cmd)
	f.addJSON(cmd)
	cmd.Flags().BoolVar(&binary, "binary", true, "put the static slipway for operators into bin/")
	return cmd
}
