// Package imagefile takes images as other builders leave them in files: OCI layouts, and archives
// of OCI layouts or of docker save.
//
// Manifest, configuration and layers stay byte for byte: the digest in an index of Slipway is the
// digest that the builder printed. Only an archive of docker save may lack a manifest; it gets one,
// the same on every machine.
//
// Files are from a third party. Every byte that gets into the store is compared with a digest; the
// documents are bounded as in package oci, and archives as in package archive.
package imagefile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Transports, as containers/image names them
// (https://github.com/containers/image/blob/main/docs/containers-transports.5.md).
const (
	OCI           = "oci"
	OCIArchive    = "oci-archive"
	DockerArchive = "docker-archive"
)

// Reference names an image, or several for different platforms, in a directory or an archive.
type Reference struct {
	Transport string
	Path      string // absolute
	// Name is a tag: an entry of index.json has it as org.opencontainers.image.ref.name or
	// io.containerd.image.name, whole or as the part of that behind the last colon. Of a
	// docker-archive it is one of RepoTags. Empty for none.
	Name string
	// Digest of a manifest or an index that index.json lists, at any depth; zero for none.
	Digest v1.Hash
	Text   string // as slipway.yaml has it, for messages
}

// File is an open layout or archive.
type File struct {
	// Progress shows what [Image.Put] copies; nil is quiet.
	Progress *progress.Printer

	ref    Reference
	files  files
	layout *layout         // nil for a docker-archive without index.json
	images []*Image        // of what the reference names, each once
	absent []v1.Descriptor // of images that are listed there and not at hand
}

// ErrAbsent is the error of [Open] for a path at which there is nothing.
var ErrAbsent = errors.New("it is not there: build the image first, or correct the path, " +
	"which is relative to slipway.yaml")

// Open opens what ref names, and reads its documents. An archive that is compressed is unpacked
// into a temporary file of the store, which Close removes: the caller has the store's lock.
func Open(ctx context.Context, ref Reference, st *store.Store) (*File, error) {
	f := &File{ref: ref}
	if err := f.open(ctx, st); err != nil {
		f.Close() //nolint:errcheck // what was wrong before is the error
		return nil, fmt.Errorf("%s: %w", ref.Text, err)
	}
	return f, nil
}

func (f *File) open(ctx context.Context, st *store.Store) (err error) {
	switch f.ref.Transport {
	case OCI:
		f.files, err = openDirectory(f.ref.Path)
	case OCIArchive:
		f.files, err = openArchive(ctx, f.ref.Path, st, false)
	case DockerArchive:
		f.files, err = openArchive(ctx, f.ref.Path, st, true)
	default:
		err = fmt.Errorf("unknown transport %q: use %s, %s or %s", f.ref.Transport, OCI, OCIArchive, DockerArchive)
	}
	if err != nil {
		return err
	}
	if f.ref.Transport == DockerArchive {
		return f.readSaved()
	}
	if f.layout, err = readLayout(f.files); err != nil {
		return err
	}
	selected, err := f.layout.choose(f.ref)
	if err != nil {
		return err
	}
	f.images, f.absent, err = f.layout.images(selected)
	for _, i := range f.images {
		i.file = f
	}
	return err
}

// Close closes the files, and removes unpacked archives.
func (f *File) Close() error {
	if f.files == nil {
		return nil
	}
	return f.files.close()
}

// Platforms returns the platforms of all images there, sorted, each once.
func (f *File) Platforms() []platform.Platform {
	var all []platform.Platform
	for _, i := range f.images {
		if !slices.Contains(all, i.Platform) {
			all = append(all, i.Platform)
		}
	}
	platform.Sort(all)
	return all
}
