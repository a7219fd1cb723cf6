package artifact

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
)

// tree lists the files below a directory, without .git, the files that except names, and the
// directories that slipway made. An archive has regular files only: anything else is an error,
// since not every system can unpack it.
func tree(dir string, except []string, content func(file string) (layer.Content, error)) ([]layer.Entry, error) {
	var all []layer.Entry
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		switch {
		case err != nil:
			return err
		case d.IsDir() &&
			(slices.Contains(except, filepath.ToSlash(rel)) || d.Name() == ".git" || p != dir && disk.Ignored(p)):
			return filepath.SkipDir
		case d.IsDir(), d.Name() == ".git", slices.Contains(except, filepath.ToSlash(rel)):
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file: take it out, or replace it with a copy", p)
		}
		fi, err := os.Stat(p)
		if err != nil {
			return err
		}
		c, err := content(p)
		if err != nil {
			return err
		}
		all = append(all, layer.Entry{Path: "/" + filepath.ToSlash(rel), Mode: mode(fi.Mode()), Content: c})
		return nil
	})
	return all, err
}
