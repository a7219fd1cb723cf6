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
		Use:   "merge PART ...",
		Short: "Make one release out of parts that several machines built",
		Long: `Merge joins the release.part.json of parts, each of which one machine built and pushed with release -platforms or -images. It makes and tags
the index of every image, brings from the registry what the store lacks, and then does what release does after publish: release.yaml, airgap
bundles, checksums. The parts must make up the whole product, and -registry must be theirs. Artifacts are taken from the directories of the parts.`,
		Example: `  slipway release -registry=ghcr.io/me/kpack -platforms=linux   -out=dist-linux
  slipway release -registry=ghcr.io/me/kpack -platforms=windows -out=dist-windows
  slipway merge   -registry=ghcr.io/me/kpack dist-linux/release.part.json dist-windows/release.part.json`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			p, pr, err := f.begin(cmd)
			if err != nil {
				return err
			}
			var parts []*lock.Part
			var dirs []string
			for _, path := range paths {
				part, err := lock.ReadPart(path)
				if err != nil {
					return err
				}
				parts, dirs = append(parts, part), append(dirs, filepath.Dir(path))
			}
			summary, err := release.Merge(cmd.Context(), p, parts, release.Options{Out: f.out, Store: f.storeDir(), ArtifactDirs: dirs, Progress: pr, IncludeBinary: binary})
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
