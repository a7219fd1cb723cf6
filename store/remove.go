package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
)

// made are the parts of a store, the times of its compilations, and the slipway that package
// target compiles into it, with its record, which may be all that there is.
var made = []string{
	"blobs", "cache", "work", "temp", "index.json", "oci-layout", "release.weights.json",
	"release.run.json", "bin/slipway", "bin/slipway.json",
}

// Remove deletes the store at dir once no other process uses it; say is as for [Store.Lock].
// Other files in the directory stay. Remove refuses a directory that is not a store or that also
// has a project. A missing directory is not an error.
func Remove(ctx context.Context, dir string, say disk.Say) error {
	return disk.Clear(ctx, dir, say, func(*disk.Dir) error { return remove(dir) })
}

// Removable returns the names that Remove deletes in dir, and an error where it refuses to.
func Removable(dir string) ([]string, error) {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("removing store: %w", err)
	}
	others := 0 // entries that are not of a store
	for _, e := range entries {
		switch {
		case slices.Contains([]string{"slipway.yaml", "go.mod", ".git"}, e.Name()):
			return nil, fmt.Errorf("removing store %s: it also has %s: remove the files of slipway by hand",
				dir, e.Name())
		case e.Name() != "bin" && !slices.Contains(made, e.Name()):
			others++
		}
	}
	// a store that was not completely made or removed
	begun := disk.Ignored(dir) && others == 0
	bin := len(entries) == 0 || len(entries) == 1 && entries[0].Name() == "bin"
	if !Is(dir) && !begun && !bin {
		return nil, fmt.Errorf("removing store %s: it has no oci-layout next to cache and work, "+
			"so it may not be a store of slipway: remove it by hand", dir)
	}
	return made, nil
}

func remove(dir string) error {
	if _, err := Removable(dir); err != nil {
		return err
	}
	for _, name := range made {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("removing store: %w", err)
		}
	}
	os.Remove(filepath.Join(dir, "bin"))       //nolint:errcheck // it stays if it has other files
	if err := disk.Unignore(dir); err != nil { // last: it marks the rest of a store as ours
		return fmt.Errorf("removing store: %w", err)
	}
	return nil
}
