package main

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
images. It keeps other files in these directories and prints their names. It does not touch
a directory that does not look like one of slipway's (no release.lock.json, no oci-layout),
and reports it.

With -older it removes what nobody has written to for that time, and prints each: the output
directory, the store, and with PART, a release.part.json, also the directory of the part and
the manifests that it pushed and no tag leads to, if the registry allows that. The distribution
API lists neither such manifests nor blobs, so that only parts tell of them; blobs that no
manifest names are left to the registry's garbage collection. A manifest also stays if a part
names it that is given and in use, or that is in the output directory, or if the registry does
not list its tags. -list only prints.`,
		Example: "  slipway clean\n  slipway clean -older=7d -list\n  slipway clean -older=7d part-0/release.part.json",
		RunE: f.prints(func(cmd *cobra.Command, parts []string) (table, error) {
			switch {
			case older > 0:
				o := release.CleanOptions{Out: f.out, Store: f.storeDir(), Parts: parts, Before: time.Now().Add(-time.Duration(older)), List: list, Say: saying(cmd)}
				all, err := release.CleanOld(cmd.Context(), o)
				return verdict{all, err}, nil // also what was removed before an error
			case len(parts) > 0 || list || f.json:
				return nil, usageError{errors.New("parts, -list and -json need -older: give the age, as in -older=7d")}
			}
			dir, log := f.storeDir(), cmd.ErrOrStderr()
			err := store.Remove(cmd.Context(), dir, saying(cmd))
			if err == nil {
				tellLeft(log, dir)
			}
			cleaned := release.Clean(cmd.Context(), f.out, saying(cmd))
			if cleaned == nil {
				tellLeft(log, f.out)
			}
			return nil, errors.Join(cleaned, err)
		}),
	}
	cmd.Flags().Var(&older, "older", "remove only what was last used before that time, such as 12h or 7d")
	cmd.Flags().BoolVar(&list, "list", false, "with -older: print what would be removed")
	return add(cmd, f.addPlaces, f.addJSON)
}

// age is a flag's value, a time such as 12h or 7d.
type age time.Duration

// String formats the age.
func (a *age) String() string { return time.Duration(*a).String() }

// maxDays bounds an age; more than 292 years do not fit into a time.Duration.
const maxDays = 100 * 365

// Set parses an age.
func (a *age) Set(text string) error {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(n, maxDays+1)) * 24 * time.Hour
	}
	if err != nil || d <= 0 || d > maxDays*24*time.Hour {
		return errors.New("malformed age: write a number and a unit, as in 12h or 7d")
	}
	*a = age(d)
	return nil
}

// Type returns the name of the value in help.
func (*age) Type() string { return "age" }

// tellLeft prints what remains in a directory after cleaning.
func tellLeft(w io.Writer, dir string) {
	if left := release.Remaining(dir); left != "" {
		output.Fprintf(w, "keeping %s: %s\n", dir, left)
	}
}
