package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/regular"
)

// Content is a file and its new content.
type Content struct {
	Path string
	Data []byte
}

// Replace writes several files, all or none: it renames the first only when all are complete on
// disk, and restores those it has replaced if it cannot rename another. Files keep their mode,
// and symbolic links to files stay. Every directory that a file is in is locked, in the order of
// their names, as [Lock] does.
func Replace(ctx context.Context, list []Content, say Say) (err error) {
	var all []*replacement
	var dirs []string
	for _, c := range list {
		r := &replacement{path: c.Path, mode: ModeFile}
		if err := r.look(); err != nil {
			return fmt.Errorf("writing %s: %w", c.Path, err)
		}
		all, dirs = append(all, r), append(dirs, filepath.Dir(r.path))
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		d, err := Lock(ctx, dir, say)
		if err != nil {
			return err
		}
		defer d.Unlock()
	}
	for n, r := range all {
		if r.file, err = Create(filepath.Dir(r.path)); err != nil {
			return fmt.Errorf("writing %s: %w", r.path, err)
		}
		defer r.file.Abort()
		_, err := r.file.Write(list[n].Data)
		if err := errors.Join(err, r.file.Sync()); err != nil {
			return fmt.Errorf("writing %s: %w", r.path, err)
		}
	}
	for n, r := range all {
		if err := r.file.Commit(r.path, r.mode); err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", r.path, err), restore(all[:n]))
		}
	}
	return nil
}

// replacement is one file of several.
type replacement struct {
	path   string // without symbolic links
	mode   fs.FileMode
	before []byte // nil if the file did not exist
	file   *File
}

// look reads the file that is to be replaced.
func (r *replacement) look() error {
	actual, err := filepath.EvalSymlinks(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		r.path, err = filepath.Abs(r.path)
		return err
	}
	if err != nil {
		return err
	}
	if r.path, err = filepath.Abs(actual); err != nil {
		return err
	}
	fi, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	r.mode = fi.Mode().Perm()
	r.before, err = regular.Read(r.path)
	return err
}

// restore gives files that were replaced their content back.
func restore(list []*replacement) error {
	var errs []error
	for _, r := range list {
		if r.before == nil {
			errs = append(errs, os.Remove(r.path))
		} else {
			errs = append(errs, Write(r.path, r.before, r.mode))
		}
	}
	return errors.Join(errs...)
}
