package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// Clean deletes the files of a release from dir: those that its lock, its part, the result of a
// build or the journal of an interrupted release names. If dir is empty then, Clean removes it.
//
// The files that name others are removed last, so that an interrupted Clean can be run again. All
// other files stay ([Remaining]). Clean fails if dir has the checksums of a release, but nothing
// that names its files; a missing dir is not an error. If another process has locked dir, Clean
// reports that once by say and waits.
func Clean(ctx context.Context, dir string, say disk.Say) error {
	return disk.Clear(ctx, dir, say, func(d *disk.Dir) error { return clean(dir, d) })
}

// Remaining returns what a directory has after Clean, or returns "" if the directory is gone.
func Remaining(dir string) string { return remains(dir, nil) }

// remains returns what a directory has without names, which are of files or directories, and
// without what slipway made besides; "" for nothing.
func remains(dir string, names []string) string {
	left := others(dir, "", names)
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("it contains %s, which slipway did not make", strings.Join(left, ", "))
}

// others lists what a directory of an output directory has besides names, and the directories of
// programs and SBOMs that have nothing else.
func others(out, below string, names []string) (left []string) {
	entries, err := disk.ReadDir(filepath.Join(out, below))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		made := name == distfile.Programs || name == distfile.SBOMs
		switch {
		case slices.Contains(names, name), disk.Temporary(e.Name()):
		case e.IsDir() && made && len(others(out, name, names)) == 0:
		default:
			left = append(left, name)
		}
	}
	return left
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
	names, err := removable(dir)
	if err != nil {
		return err
	}
	for n, name := range names {
		if n == len(names)-len(indexes) {
			os.Remove(filepath.Join(dir, distfile.Programs)) //nolint:errcheck // it stays if it has other files
			os.Remove(filepath.Join(dir, distfile.SBOMs))    //nolint:errcheck // so does this
		}
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	return nil
}

// removable returns the names of the files of a release in the order in which Clean removes them,
// those that name others last; none if slipway's files are gone, or never were here.
func removable(dir string) ([]string, error) {
	had, err := own(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cleaning: %w: remove the files of the release by hand", err)
	case had.product == "" && len(present(dir, slices.Clone(checksums))) == 0:
		return nil, nil
	case had.product == "":
		return nil, fmt.Errorf("cleaning %s: it has no %s, so it may not be slipway's: remove it by hand",
			dir, lock.Name)
	}
	names := slices.DeleteFunc(slices.Concat(checksums, indexed(had.names)), func(name string) bool {
		return !slices.Contains(had.names, name) // it belongs to another program or user
	})
	return append(names, indexes...), nil
}

// CleanOptions select what to clean.
type CleanOptions struct {
	Out, Store string
	Parts      []string  // the files of parts
	Before     time.Time // directories that were used later stay
	List       bool      // remove nothing
	Say        disk.Say
	Network    network.Options
}

// CleanOld removes everything that was last used before a time: manifests of parts that no tag
// leads to and no newer part names, the directories of these parts, the output directory and the
// store. If one of them cannot be removed, CleanOld continues with the others.
func CleanOld(ctx context.Context, o CleanOptions) (*Leftovers, error) {
	all := &Leftovers{Removed: !o.List, All: []Leftover{}}
	parts, keep, err := readParts(o)
	errs := []error{err}
	for _, p := range parts {
		errs = append(errs, all.part(ctx, p, keep, o))
	}
	errs = append(errs, all.directory(ctx, "output", o.Out, o, removable, Clean),
		all.directory(ctx, "store", o.Store, o, store.Removable, store.Remove))
	return all, errors.Join(errs...)
}

// readParts reads the parts. keep are those that are not old, and so is that in the output
// directory: the same inputs give the same manifests, which their release may still need.
func readParts(o CleanOptions) (all, keep []*lock.Part, err error) {
	var errs []error
	for n, path := range append(slices.Clone(o.Parts), filepath.Join(o.Out, lock.PartName)) {
		given := n < len(o.Parts)
		part, err := lock.ReadPart(path)
		if !given && errors.Is(err, fs.ErrNotExist) {
			break
		}
		_, used, gone := usage(filepath.Dir(path))
		if err := cmp.Or(err, gone); err != nil {
			errs = append(errs, err)
			continue
		}
		if !used.Before(o.Before) {
			keep = append(keep, part)
		}
		if given {
			all = append(all, part)
		}
	}
	return all, keep, errors.Join(errs...)
}

// part cleans what a part names in registries, and its directory last: only it names them.
func (l *Leftovers) part(ctx context.Context, part *lock.Part, keep []*lock.Part, o CleanOptions) error {
	dir := filepath.Dir(part.Path)
	_, used, err := usage(dir)
	if err != nil {
		return fmt.Errorf("cleaning %s: %w", part.Path, err)
	}
	remains := false
	if used.Before(o.Before) {
		untagged, err := publish.Discard(ctx, part, keep, !o.List, o.Network)
		for _, u := range untagged {
			remains = remains || u.Kept != ""
			l.All = append(l.All, Leftover{What: "manifest", Where: u.Reference, Kept: u.Kept})
		}
		if err != nil {
			return err
		}
	}
	if remains {
		l.All = append(l.All,
			Leftover{What: "part", Where: dir, Used: used, Kept: "it names manifests that are there still"})
		return nil
	}
	return l.directory(ctx, "part", dir, o, removable, Clean)
}

// directory removes what look lists of a directory, by remove.
func (l *Leftovers) directory(ctx context.Context, what, dir string, o CleanOptions,
	look func(string) ([]string, error), remove func(context.Context, string, disk.Say) error,
) error {
	bytes, used, err := usage(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cleaning %s: %w", dir, err)
	}
	out := Leftover{What: what, Where: dir, Bytes: bytes, Used: used}
	if !used.Before(o.Before) {
		out.Kept = "it was used since"
		l.All = append(l.All, out)
		return nil
	}
	names, err := look(dir)
	had := len(present(dir, slices.Clone(names)))
	if err == nil && !o.List {
		err = remove(ctx, dir, o.Say)
	}
	switch {
	case err != nil:
		out.Kept = output.Line(err.Error())
	case o.List:
		out.Files, out.Kept = had, remains(dir, names)
	default:
		out.Files, out.Kept = had, Remaining(dir)
	}
	l.All = append(l.All, out)
	return err
}

// usage returns the size of a directory's files, and when something in it was last written. A time
// that is still to come was written by a clock that was ahead, at an unknown time: it counts as
// now, so that the directory stays.
func usage(dir string) (bytes int64, last time.Time, err error) {
	now := time.Now()
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path != dir && errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		if fi.Mode().IsRegular() {
			bytes += fi.Size()
		}
		if at := fi.ModTime(); at.After(last) {
			last = at
			if at.After(now) {
				last = now
			}
		}
		return nil
	})
	return bytes, last, err
}
