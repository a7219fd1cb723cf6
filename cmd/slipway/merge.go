package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

func newMerge(f *flags) *cobra.Command {
	var binary bool
	var sign signing
	cmd := &cobra.Command{
		Use:   "merge PART ...",
		Short: "Join the parts that several machines built to one release",
		Long: `Merge joins the parts of a release, which several machines built and pushed with "slipway
release -platforms" or -images. It makes and tags the index of each image and fetches what the
store lacks from the registry. It then continues as release does: release.yaml, bundles,
checksums. The parts must make up the complete product and have the same registry as
-registry. Artifacts are copied from the directories of the parts. Parts are not signed; merge
signs all of it with -key or -signer.`,
		Example: `  slipway release -registry=ghcr.io/me/kpack -platforms=linux   -out=dist-linux
  slipway release -registry=ghcr.io/me/kpack -platforms=windows -out=dist-windows
  slipway merge   -registry=ghcr.io/me/kpack dist-linux/release.part.json dist-windows/release.part.json`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			o, err := sign.options(cmd, release.Options{Out: f.out, Store: f.storeDir(), IncludeBinary: binary})
			if err != nil {
				return err
			}
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
			o.Progress, o.ArtifactDirs = pr, dirs
			summary, err := release.Merge(cmd.Context(), p, parts, o)
			pr.Close()
			if err != nil {
				return err
			}
			return f.show(cmd, summary)
		},
	}
	f.addProduct(cmd)
	f.addFloating(cmd)
	f.addJSON(cmd)
	sign.add(cmd)
	cmd.Flags().BoolVar(&binary, "binary", true, "write the slipway binary for operators to bin/ of the output directory")
	return cmd
}
