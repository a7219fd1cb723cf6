package main

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// made are directories of the world whose files commands made, and that no product is released
// from.
var made = []string{".slipway", "dist", "old", "shard"}

// copy copies the world. What commands made are hard links: making that many files took more than
// what ran there. Commands write other files and rename them, so that the world remains as it is,
// which sums shows. Sources are files of their own: to a release, a new link is a change.
func (w *world) copy(dir string) error {
	return filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.dir, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if d.IsDir() {
			return os.Mkdir(to, 0o755)
		}
		if top, _, _ := strings.Cut(name, string(filepath.Separator)); slices.Contains(made, top) {
			return os.Link(path, to)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
}

// sums returns the digests of the world's files.
func (w *world) sums(t *testing.T) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = sha256.Sum256(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
