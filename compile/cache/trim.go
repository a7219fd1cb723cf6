package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// trimmed is the name of the file whose time is that of the last trim, and trimEvery how often the
// disk is looked through.
const (
	trimmed   = "trimmed"
	trimEvery = 24 * time.Hour
)

// ownName is the form of the names of the cache's files below its directory.
var ownName = lazyregexp.New(`^[0-9a-f]{2}/([0-9a-f]{64}-[ad]|\.slipway-[0-9]+\.tmp)$`)

// owns reports whether a file is of the cache: the directory may have files of other programs.
func (l *local) owns(path string) bool {
	rel, err := filepath.Rel(l.dir, path)
	return err == nil && ownName.MatchString(filepath.ToSlash(rel))
}

// trim removes files that were not used for an age, and then the others that were used least
// recently, until they have at most size bytes. Files that were used within the last hours stay:
// another go command may have got their paths.
func (l *local) trim(age time.Duration, size int64) error {
	mark := filepath.Join(l.dir, trimmed)
	if fi, err := os.Stat(mark); err == nil && within(fi.ModTime(), trimEvery) {
		return nil
	}
	if err := disk.Write(mark, nil, disk.ModeFile); err != nil {
		return err
	}
	type file struct {
		path string
		size int64
		used time.Time
	}
	var all []file
	var total int64
	err := filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !l.owns(path) {
			return err
		}
		fi, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && time.Since(fi.ModTime()) < trimEvery {
			return nil // another process writes it
		}
		last := fi.ModTime()
		if now := time.Now(); last.After(now) { // a clock was ahead: it would be kept until then
			os.Chtimes(path, now, now) //nolint:errcheck // the next trim tries it again
			last = now
		}
		all = append(all, file{path, fi.Size(), last})
		total += fi.Size()
		return nil
	})
	slices.SortFunc(all, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, f := range all {
		unused := time.Since(f.used)
		if unused < age && total <= size || unused < 3*used {
			break
		}
		if err := os.Remove(f.path); err == nil {
			total -= f.size
		}
	}
	return err
}
