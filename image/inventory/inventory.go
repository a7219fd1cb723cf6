// Package inventory records what a build puts into images and artifacts: which files, and which
// modules their programs consist of.
//
// Of a program it reads the build information that the go command links into it, and its SHA-512,
// once: the store remembers both by digest. So they are known of images that the store has, too,
// and of programs that this release did not compile. The files of an image are those of the
// entries of its layers; no layer is unpacked.
package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// Files are the regular files of an image's own layers, as a container sees them.
type Files struct {
	byPath map[string]lock.File       // by path; for Windows by its folding
	in     map[string]map[string]bool // of each directory above a file, the names that it has or had
}

// Builtin begins with the files of a built-in base.
func (f *Files) Builtin(entries []layer.Entry, os string) error {
	err := f.Add(entries, os)
	for p, file := range f.byPath {
		file.Builtin = true
		f.byPath[p] = file
	}
	return err
}

// Add puts a layer on top of those that were added before.
func (f *Files) Add(entries []layer.Entry, os string) error {
	if f.byPath == nil {
		f.byPath, f.in = map[string]lock.File{}, map[string]map[string]bool{}
	}
	key := func(p string) string {
		if os == platform.Windows {
			return layer.Fold(p)
		}
		return p
	}
	here := map[string]lock.File{} // of this layer, for hard links
	for _, e := range entries {
		f.remove(key(e.Path), e.Type)
		if e.Type != layer.Regular {
			continue
		}
		if e.Content.Digest.Hex == "" {
			return fmt.Errorf("%s: its digest is not known", e.Path)
		}
		file := lock.File{Path: e.Path, Digest: e.Content.Digest, Size: e.Content.Size, Executable: e.Mode&0o111 != 0}
		f.put(key(e.Path), file)
		here[e.Path] = file
	}
	for _, e := range entries {
		if file, ok := here[e.Linkname]; ok && e.Type == layer.Hardlink {
			file.Path = e.Path
			f.put(key(e.Path), file)
		}
	}
	return nil
}

// put adds a file, and what leads to it to the directories above.
func (f *Files) put(p string, file lock.File) {
	f.byPath[p] = file
	for dir := path.Dir(p); dir != p && !f.in[dir][p]; p, dir = dir, path.Dir(dir) {
		if f.in[dir] == nil {
			f.in[dir] = map[string]bool{}
		}
		f.in[dir][p] = true
	}
}

// remove removes the files that an entry replaces: a directory replaces a file, everything else
// also a directory with its files. The time depends on what it removes, for a layer may have a
// million entries.
func (f *Files) remove(p string, t layer.Type) {
	delete(f.byPath, p)
	if t == layer.Dir {
		return
	}
	for below := range f.in[p] {
		f.remove(below, layer.Whiteout)
	}
	delete(f.in, p)
}

// List returns the files, sorted by path.
func (f *Files) List() []lock.File {
	return slices.SortedFunc(maps.Values(f.byPath), func(a, b lock.File) int { return cmp.Compare(a.Path, b.Path) })
}

// Archive returns the files of an archive, whose paths are relative.
func Archive(entries []layer.Entry) ([]lock.File, error) {
	var f Files
	if err := f.Add(entries, platform.Linux); err != nil {
		return nil, err
	}
	all := f.List()
	for n := range all {
		all[n].Path = strings.TrimPrefix(path.Clean(all[n].Path), "/")
	}
	return all, nil
}

// Label names of the OCI image specification
// (https://github.com/opencontainers/image-spec/blob/main/annotations.md).
const (
	labelVersion  = "org.opencontainers.image.version"
	labelLicenses = "org.opencontainers.image.licenses"
)

// Base reads version and licenses from a base's labels.
func Base(digest v1.Hash, labels map[string]string) lock.BaseFacts {
	return lock.BaseFacts{Digest: digest, Version: clean(labels[labelVersion]), Licenses: clean(labels[labelLicenses])}
}
