package regular

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
)

// Tree checks that every file of a directory whose name matches is a regular file, for programs
// that open every file they find. Links to directories are not followed, and .git is skipped.
func Tree(ctx context.Context, dir string, matches func(name string) bool) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if path == dir {
				return err
			}
			return nil // who needs it reports it
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && e.Name() == ".git" && path != dir:
			return fs.SkipDir
		case e.IsDir(), e.Type().IsRegular(), !matches(e.Name()):
			return nil
		}
		fi, err := os.Stat(path)
		if err != nil || fi.IsDir() {
			return nil //nolint:nilerr // a link that leads nowhere: who needs it reports it
		}
		return Check(path, fi.Mode())
	})
}
