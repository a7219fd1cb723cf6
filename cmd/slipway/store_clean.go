package main

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

func newClean(f *flags) *cobra.Command {
	var older age
	var list bool
	cmd := &cobra.Command{
		Use:   "clean [PART ...]",
		Short: "Remove the files of the release and the store",
		Long: `Clean removes the files of the release from the output directory, and the store of built
images. Other files in these directories stay, and clean prints their names. A directory that
does not look like one of slipway's (no release.lock.json, no oci-layout) is reported and stays.

With -older, clean removes directories without a write for that time, and prints each: the output
directory, the store, and with PART, a release.part.json, also the directory of the part and
its pushed manifests that no tag leads to, if the registry allows that. The distribution
API lists neither such manifests nor blobs, so that only parts tell of them; blobs that no
manifest names are left to the registry's garbage collection. A manifest also stays if a part
names it that is given and in use, or that is in the output directory, or if the registry does
not list its tags. -dry-run only prints.`,
		Example: `  slipway store clean
  slipway store clean -older=7d -dry-run
  slipway store clean -older=7d part-0/release.part.json`,
		RunE: f.prints(func(cmd *cobra.Command, parts []string) (table, error) {
			dir, out := disk.Short(f.storeDir()), disk.Short(f.out)
			switch {
			case older > 0:
				all, err := release.CleanOld(cmd.Context(), release.CleanOptions{
					Out: out, Store: dir, Parts: parts, List: list,
					Before: time.Now().Add(-time.Duration(older)), Say: saying(cmd),
				})
				return verdict{all, err}, nil // also those removed before an error
			case len(parts) > 0:
				return nil, howto.Usage("PART needs -older: give the age, as in -older=7d")
			}
			log := cmd.ErrOrStderr()
			err := store.Remove(cmd.Context(), dir, saying(cmd))
			if err == nil {
				tellLeft(log, dir)
			}
			cleaned := release.Clean(cmd.Context(), out, saying(cmd))
			if cleaned == nil {
				tellLeft(log, out)
			}
			return nil, errors.Join(cleaned, err)
		}),
	}
	cmd.Flags().Var(&older, "older", "remove only directories last used before that time, such as 12h or 7d")
	cmd.Flags().BoolVar(&list, "dry-run", false, "only print what would be done, with -older")
	add(cmd, f.addPlaces, f.addJSON)
	needs(cmd, "older", "dry-run", "json")
	return cmd
}

// tellLeft prints what remains in a directory after cleaning.
func tellLeft(w io.Writer, dir string) {
	if left := release.Remaining(dir); left != "" {
		output.Fprintf(w, "keeping %s: %s\n", dir, left)
	}
}
