package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// opened are the files of a work tree that git opens wherever it finds them.
var opened = []string{".gitattributes", ".gitignore", ".gitmodules"}

// checkTree returns an error if git would wait for a pipe, a device or a socket where it reads the
// names of files: in the directory where it runs, above it, or in repositories within it.
func (v *view) checkTree(ctx context.Context) error {
	if v.place.root == "" {
		return nil
	}
	for dir := v.work; len(dir) > len(v.place.root); {
		dir = filepath.Dir(dir)
		for _, name := range opened {
			if err := checkFile(filepath.Join(dir, name)); err != nil {
				return fmt.Errorf("git: %w", err)
			}
		}
	}
	err := filepath.WalkDir(v.work, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // git reports what it cannot read
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && e.Name() == ".git":
			if path != v.place.git {
				err = checkRefs(ctx, path)
			}
			if err != nil {
				return err
			}
			return fs.SkipDir
		case e.IsDir(), e.Type().IsRegular(), !slices.Contains(opened, e.Name()):
			return nil
		}
		return checkFile(path)
	})
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	return nil
}

// checkFile checks what a path that is not a regular file leads to.
func checkFile(path string) error {
	fi, err := os.Stat(path)
	if err != nil || fi.IsDir() {
		return nil //nolint:nilerr // git opens no directories, and reports what it cannot read
	}
	return regular.Check(path, fi.Mode())
}

// checkRefs checks the files of a repository within another one by which git finds the
// checked-out commit there.
func checkRefs(ctx context.Context, at string) error {
	return filepath.WalkDir(at, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // as above
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && (e.Name() == "objects" || e.Name() == "hooks" || e.Name() == "modules"):
			return fs.SkipDir
		case e.IsDir(), e.Type().IsRegular():
			return nil
		}
		return checkFile(path)
	})
}

// maxAlternates bounds the directories of objects of one repository: git follows five levels.
const maxAlternates = 100

// checkObjects checks the files that have a repository's objects, and those of the directories
// that it borrows objects from.
func checkObjects(ctx context.Context, objects string) error {
	all := []string{objects}
	for n := 0; n < len(all); n++ {
		if len(all) > maxAlternates {
			return fmt.Errorf("%s has more than %d alternates", objects, maxAlternates)
		}
		if err := regular.Tree(ctx, all[n], func(string) bool { return true }); err != nil {
			if missing(err) {
				continue
			}
			return err
		}
		text, err := regular.ReadMost(filepath.Join(all[n], "info", "alternates"), maxSettings)
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\r\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if line = filepath.FromSlash(line); !filepath.IsAbs(line) {
				line = filepath.Join(all[n], line)
			}
			if line = filepath.Clean(line); !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	return nil
}
