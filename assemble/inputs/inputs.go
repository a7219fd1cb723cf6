// Package inputs makes the archive of a release's inputs: slipway.yaml and the files next to it,
// from which anyone can rebuild the release.
//
// The archive is a tar of a few KB as a rule, compressed by gzip. product/ has files of the
// product's repository, at their places in it; sources/NAME/ has a directory source that is
// outside of it. What a commit or a hash identifies is not in it: Go modules, directories of a
// git repository without changes, prebuilt programs. Equal files give equal bytes: entries are
// sorted and have no time and no owner. Modes are 0644 and 0755, but for those of files in build
// contexts that git does not track: they decide the bytes of images.
package inputs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/product"
)

// The directories of the archive.
const (
	Product = "product" // of the product's repository, or of the directory of slipway.yaml
	Sources = "sources" // of the other directory sources, by their names
)

// Name returns the name of the archive of a product's version.
func Name(product, version string) string { return distfile.Inputs(product, version) }

// Source is a directory source of a product.
type Source struct {
	Name, Directory string
	Own             bool
	// Beyond are directories outside of it that it is compiled from, as [product.Source.Beyond]
	// returns them.
	Beyond []string
	// Committed reports whether a commit has exactly the contents of the directories.
	Committed bool
}

// Path returns the directory of a source in the archive of p.
func (s Source) Path(p *product.Product) string {
	if rel, ok := disk.Below(p.Root(), s.Directory); ok && s.Own {
		return path.Join(Product, rel)
	}
	return path.Join(Sources, s.Name)
}

// Stamp returns the [disk.Stamp] of a file that was read, which differs once the file is written;
// "" for another file.
func (s *Set) Stamp(path string) string { return s.stamps[path] }

// Changed returns a path that was written, or is there, in one of two sets only; "" for none.
func (s *Set) Changed(o *Set) string {
	var all []string
	for _, pair := range [][2]*Set{{s, o}, {o, s}} {
		for path, stamp := range pair[0].stamps {
			if pair[1].stamps[path] != stamp {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return append(all, "")[0]
}

// Set is the content of an archive.
type Set struct {
	// File is the path of slipway.yaml in the archive.
	File string
	// Outside lists, as absolute paths, what slipway.yaml names outside of the product's
	// repository: no one else has it.
	Outside []string

	product *product.Product
	sources []Source
	entries map[string]entry
	stamps  map[string]string // of all that was looked at, by path
}

// entry is a file, directory or symbolic link of the archive.
type entry struct {
	open func() (io.ReadCloser, error) // of a file
	mode fs.FileMode
	size int64
	link string
}

// Collect lists the inputs of a product with the given directory sources.
func Collect(ctx context.Context, p *product.Product, sources []Source) (*Set, error) {
	s := &Set{product: p, sources: sources, entries: map[string]entry{}, stamps: map[string]string{}}
	for _, i := range p.Inputs() {
		if err := s.add(ctx, i); err != nil {
			return nil, fmt.Errorf("collecting inputs: %w", err)
		}
	}
	for _, source := range sources {
		if source.Committed {
			continue
		}
		if err := s.source(ctx, source); err != nil {
			return nil, fmt.Errorf("collecting source %s: %w", source.Name, err)
		}
	}
	s.File = s.place(filepath.Join(p.Dir, filepath.Base(p.Path)))
	s.Outside = slices.Compact(slices.Sorted(slices.Values(s.Outside)))
	return s, nil
}

// add adds what slipway.yaml names.
func (s *Set) add(ctx context.Context, i product.Input) error {
	if s.place(i.Path) == "" {
		if !s.inSource(i.Path, false) {
			s.Outside = append(s.Outside, i.Path)
		}
		return nil
	}
	return visit(s.product, i, func(full string, fi fs.FileInfo, exact bool) error {
		s.stamps[full] = disk.Stamp(fi)
		if (full != i.Path || fi.IsDir()) && s.inSource(full, true) {
			return nil
		}
		return s.file(ctx, full, fi, exact)
	})
}

// source adds a directory source, with the directories beyond it that it is compiled from.
func (s *Set) source(ctx context.Context, source Source) error {
	for _, dir := range append([]string{source.Directory}, source.Beyond...) {
		if s.place(filepath.Join(dir, "go.mod")) == "" {
			s.Outside = append(s.Outside, dir)
			continue
		}
		if err := s.tree(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// tree adds a directory: of a git repository what git does not ignore, else all of it but what
// slipway made.
func (s *Set) tree(ctx context.Context, dir string) error {
	names, err := git.Files(ctx, dir, s.product.MadeIn(dir)...)
	if err != nil || len(names) == 0 {
		return walk(s.product, dir, []string{os.DevNull}, func(full string, fi fs.FileInfo) error {
			s.stamps[full] = disk.Stamp(fi)
			return s.file(ctx, full, fi, false)
		})
	}
	for _, name := range names {
		full := filepath.Join(dir, filepath.FromSlash(name))
		fi, err := os.Lstat(full)
		switch {
		case err != nil:
			continue // removed
		case fi.IsDir(): // a repository in the repository
			if _, err := os.Lstat(filepath.Join(full, ".git")); err != nil {
				continue // that is not checked out
			}
			err = s.tree(ctx, full)
		default:
			s.stamps[full] = disk.Stamp(fi)
			err = s.file(ctx, full, fi, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file adds a file or directory, unless a commit has it. Those of build contexts have
// the modes that they have in images.
func (s *Set) file(ctx context.Context, full string, fi fs.FileInfo, exact bool) error {
	name := s.place(full)
	if name == "" {
		return nil
	}
	mode := fi.Mode()
	if exact {
		var err error
		if mode, err = s.product.Mode(ctx, full, fi); err != nil {
			return err
		}
	}
	e := entry{
		open: func() (io.ReadCloser, error) { return regular.Open(full) },
		mode: mode & (fs.ModeType | fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky),
		size: fi.Size(),
	}
	switch fi.Mode().Type() {
	case 0:
		if !exact && fi.Mode()&0o100 != 0 {
			e.mode = 0o755
		} else if !exact {
			e.mode = 0o644
		}
	case fs.ModeDir:
		if !exact {
			return nil // it follows from its files, and git has no empty ones
		}
	case fs.ModeSymlink:
		link, err := os.Readlink(full)
		if err != nil {
			return err
		}
		e.mode, e.link = fs.ModeSymlink|0o777, filepath.ToSlash(link)
	default:
		return nil // a device or pipe cannot be an input
	}
	if _, ok := s.entries[name]; !ok || exact {
		s.entries[name] = e
	}
	return nil
}

// place returns the path of a file in the archive; "" if it is not part of it.
func (s *Set) place(full string) string {
	for _, source := range s.sources {
		if rel, ok := disk.Below(source.Directory, full); ok && !source.Own {
			if source.Committed {
				return ""
			}
			return path.Join(source.Path(s.product), rel)
		}
	}
	if rel, ok := disk.Below(s.product.Root(), full); ok {
		return path.Join(Product, rel)
	}
	return ""
}

// inSource reports whether a directory source has a path, or the commit of one if it has to be
// committed.
func (s *Set) inSource(full string, committed bool) bool {
	return slices.ContainsFunc(s.sources, func(source Source) bool {
		return (source.Committed || !committed) && disk.Within(source.Directory, full)
	})
}

// names returns the paths in the archive, directories before their contents.
func (s *Set) names() []string {
	return slices.SortedFunc(maps.Keys(s.entries), func(a, b string) int {
		return cmp.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
	})
}
