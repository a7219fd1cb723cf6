package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

func newClean(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove the files of the release and the store",
		Long: `Clean removes the files of the release from the output directory, and the store of built
images. It keeps other files in these directories and prints their names. It does not touch
a directory that does not look like one of slipway's (no release.lock.json, no oci-layout),
and reports it.`,
		Example: "  slipway clean\n  slipway clean -out=/tmp/hello",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, log := f.storeDir(), cmd.ErrOrStderr()
			err := store.Remove(cmd.Context(), dir, saying(cmd))
			if err == nil {
				tellLeft(log, dir)
			}
			cleaned := release.Clean(cmd.Context(), f.out, saying(cmd))
			if cleaned == nil {
				tellLeft(log, f.out)
			}
			return errors.Join(cleaned, err)
		},
	}
	f.addPlaces(cmd)
	return cmd
}

// tellLeft prints what remains in a directory after cleaning.
func tellLeft(w io.Writer, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // gone
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	fmt.Fprintf(w, "keeping %s: it contains %s, which slipway did not make\n", dir, strings.Join(names, ", "))
}
