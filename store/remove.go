package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// made is what a store consists of, and the slipway that package target compiles into it, which may be all there is.
var made = []string{"blobs", "cache", "work", "index.json", "oci-layout", "lock", "bin/slipway"}

// Remove deletes the store at dir once no other process holds it; waiting is told as by [Store.Lock]. What else is in the directory
// stays there. A directory that is no store, or that holds a project beside one, is an error; one that does not exist is none.
func Remove(ctx context.Context, dir string, waiting func()) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing store: %w", err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	for _, name := range []string{"slipway.yaml", "go.mod", ".git"} {
		if has(name) {
			return fmt.Errorf("removing store %s: it holds %s, so it is more than a store: remove by hand what is slipway's", dir, name)
		}
	}
	switch {
	case has("oci-layout") && has("cache") && has("work"):
		st, err := Open(dir)
		if err != nil {
			return err
		}
		unlock, err := st.Lock(ctx, waiting)
		if err != nil {
			return err
		}
		defer unlock()
	case len(entries) > 1 || len(entries) == 1 && !has("bin"):
		return fmt.Errorf("removing store %s: it has no oci-layout beside cache and work, so it may not be slipway's: remove it by hand", dir)
	}
	for _, name := range made {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("removing store: %w", err)
		}
	}
	os.Remove(filepath.Join(dir, "bin")) //nolint:errcheck // it stays where something else is in it
	os.Remove(dir)                       //nolint:errcheck // as above
	return nil
}
