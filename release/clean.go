package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
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
func Remaining(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return fmt.Sprintf("it contains %s, which slipway did not make", strings.Join(names, ", "))
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
	had, err := own(dir)
	switch {
	case err != nil:
		return fmt.Errorf("cleaning: %w: remove the files of the release by hand", err)
	case had.product == "" && len(present(dir, slices.Clone(checksums))) == 0:
		return nil // slipway's files are gone, or never were here
	case had.product == "":
		return fmt.Errorf("cleaning %s: it has no %s, so it may not be slipway's: remove it by hand", dir, lock.Name)
	}
	for _, name := range slices.Concat(checksums, indexed(had.names)) {
		if !slices.Contains(had.names, name) {
			continue // it belongs to another program or user
		}
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	os.Remove(filepath.Join(dir, distfile.Programs)) //nolint:errcheck // it stays if it has other files
	os.Remove(filepath.Join(dir, distfile.SBOMs))    //nolint:errcheck // so does this
	for _, name := range indexes {
		if err := remove(dir, name); err != nil {
			return fmt.Errorf("cleaning: %w", err)
		}
	}
	return nil
}

// Leftover is a directory or a manifest that runs have left on purpose.
type Leftover struct {
	What  string    `json:"what"` // "store", "output", "part", or "manifest" in a registry
	Where string    `json:"where"`
	Bytes int64     `json:"bytes,omitempty"`
	Used  time.Time `json:"used,omitzero"` // when a file of it was last written
	// Kept is the reason why it stays; "" if it was removed, or is to be.
	Kept string `json:"kept,omitempty"`
}

// Leftovers are listed in the order in which they are removed.
type Leftovers struct {
	Removed bool       `json:"removed"` // or only listed
	All     []Leftover `json:"all"`
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
	for _, d := range []struct {
		what, dir string
		remove    func(context.Context, string, disk.Say) error
	}{{"output", o.Out, Clean}, {"store", o.Store, store.Remove}} {
		errs = append(errs, all.directory(ctx, d.what, d.dir, o, d.remove))
	}
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
	return l.directory(ctx, "part", dir, o, Clean)
}

func (l *Leftovers) directory(ctx context.Context, what, dir string, o CleanOptions,
	remove func(context.Context, string, disk.Say) error,
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
	} else if !o.List {
		if err = remove(ctx, dir, o.Say); err != nil {
			out.Kept = output.Line(err.Error())
		} else {
			out.Kept = Remaining(dir)
		}
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

// WriteTable prints a line for each.
func (l *Leftovers) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "WHAT\tWHERE\tSIZE\tLAST USED\tSTATE")
	for _, o := range l.All {
		state, size, used := "removed", "", ""
		if !l.Removed {
			state = "to be removed"
		}
		if o.Kept != "" {
			state = "kept: " + o.Kept
		}
		if o.Bytes > 0 {
			size = progress.Size(o.Bytes)
		}
		if !o.Used.IsZero() {
			used = o.Used.UTC().Format(time.DateTime)
		}
		t.Row("%s\t%s\t%s\t%s\t%s", o.What, o.Where, cmp.Or(size, "-"), cmp.Or(used, "-"), state)
	}
	return t.Flush()
}
