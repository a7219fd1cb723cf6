package release

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/lock"
)

// Clean deletes the files of a release from dir: those that its lock, its part, the result of a
// build or the journal of a release that was interrupted names. It then removes dir if that is
// empty.
//
// What names files is removed last, so that an interrupted Clean can be run again. All other files
// stay ([Remaining]). It is an error if dir has the checksums of a release, but nothing that names
// its files. A missing dir is not an error. If another process has locked dir, Clean reports that
// once by say and waits.
func Clean(ctx context.Context, dir string, say disk.Say) error {
	return disk.Clear(ctx, dir, say, func(d *disk.Dir) error { return clean(dir, d) })
}

// Remaining returns what a directory has after Clean, or returns "" if the directory is gone.
func Remaining(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return fmt.Sprintf("it contains %s, which slipway did not make", strings.Join(names, ", "))
}

func clean(dir string, d *disk.Dir) error {
	sweepTemporary(dir)
	entries, err := d.ReadDir()
	if err != nil {
		return fmt.Errorf("cleaning: %w", err)
	}
	if len(entries) > 0 {
		if err := cleanFiles(dir); err != nil {
			return err
		}
	}
	if err := disk.Unignore(dir); err != nil {
		return fmt.Errorf("cleaning: %w", err)
	}
	return nil
}

func cleanFiles(dir string) error {
	had, err := own(dir)
	switch {
	case err != nil:
		return fmt.Errorf("cleaning: %w: remove by hand what is slipway's", err)
	case had.product == "" && len(present(dir, slices.Clone(checksums))) == 0:
		return nil // slipway's files are gone, or never were here
	case had.product == "":
		return fmt.Errorf("cleaning %s: it has no %s, so it may not be slipway's: remove it by hand", dir, lock.Name)
	}
	last := []string{distfile.Build, distfile.Part, distfile.Lock, distfile.Journal}
	names := slices.DeleteFunc(slices.Clone(had.names), func(n string) bool { return slices.Contains(last, n) || slices.Contains(checksums, n) })
	for _, name := range slices.Concat(checksums, names) {
		if !slices.Contains(had.names, name) {
			continue // it belongs to another program or user
		}
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	os.Remove(filepath.Join(dir, distfile.Programs)) //nolint:errcheck // it stays if it has other files
	os.Remove(filepath.Join(dir, distfile.SBOMs))    //nolint:errcheck // so does this
	for _, name := range last {
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	return nil
}
