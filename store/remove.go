package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
)

// made is what a store consists of, and the slipway that package target compiles into it, which
// may be all there is.
var made = []string{"blobs", "cache", "work", "temp", "index.json", "oci-layout", "bin/slipway"}

// Remove deletes the store at dir once no other process holds it; waiting is told as by
// [Store.Lock]. What else is in the directory stays there. A directory that is no store, or that
// holds a project beside one, is an error; one that does not exist is none.
func Remove(ctx context.Context, dir string, waiting func()) error {
	d, err := disk.Lock(ctx, dir, waiting)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing store: %w", err)
	}
	err = remove(dir, d)
	d.Unlock()
	if err == nil {
		os.Remove(dir) //nolint:errcheck // it stays where something else is in it
	}
	return err
}

func remove(dir string, d *disk.Dir) error {
	entries, err := d.ReadDir()
	if err != nil {
		return fmt.Errorf("removing store: %w", err)
	}
	foreign := 0 // entries that no store has
	for _, e := range entries {
		switch {
		case slices.Contains([]string{"slipway.yaml", "go.mod", ".git"}, e.Name()):
			return fmt.Errorf("removing store %s: it holds %s, so it is more than a store: remove by hand what is slipway's", dir, e.Name())
		case e.Name() != "bin" && !slices.Contains(made, e.Name()):
			foreign++
		}
	}
	// a store that was not made or not removed to the end
	begun := disk.Ignored(dir) && foreign == 0
	bin := len(entries) == 0 || len(entries) == 1 && entries[0].Name() == "bin"
	if !Is(dir) && !begun && !bin {
		return fmt.Errorf("removing store %s: it has no oci-layout beside cache and work, so it may not be slipway's: remove it by hand", dir)
	}
	for _, name := range made {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("removing store: %w", err)
		}
	}
	// it stays where something else is in it
	os.Remove(filepath.Join(dir, "bin"))       //nolint:errcheck
	if err := disk.Unignore(dir); err != nil { // last: it shows whose what is left of a store is
		return fmt.Errorf("removing store: %w", err)
	}
	return nil
}
