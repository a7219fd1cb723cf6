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

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// Files are the regular files of an image's own layers, as a container sees them.
type Files struct {
	byPath map[string]lock.File // by path; for Windows by its folding
}

// Add puts a layer on top of those that were added before.
func (f *Files) Add(entries []layer.Entry, os string) error {
	if f.byPath == nil {
		f.byPath = map[string]lock.File{}
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
		file := lock.File{Path: e.Path, Digest: e.Content.Digest, Size: e.Content.Size}
		f.byPath[key(e.Path)], here[e.Path] = file, file
	}
	for _, e := range entries {
		if file, ok := here[e.Linkname]; ok && e.Type == layer.Hardlink {
			file.Path = e.Path
			f.byPath[key(e.Path)] = file
		}
	}
	return nil
}

// remove removes what an entry replaces: a directory nothing but a file, everything else what is
// below it, too.
func (f *Files) remove(p string, t layer.Type) {
	delete(f.byPath, p)
	if t == layer.Dir {
		return
	}
	maps.DeleteFunc(f.byPath, func(k string, _ lock.File) bool { return strings.HasPrefix(k, p+"/") })
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

// Base returns what a base tells of itself by its labels.
func Base(digest v1.Hash, labels map[string]string) lock.BaseFacts {
	return lock.BaseFacts{Digest: digest, Version: clean(labels[labelVersion]), Licenses: clean(labels[labelLicenses])}
}
