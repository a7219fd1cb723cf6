package audit

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lint"
)

// files are the files of an archive or a directory.
type files interface {
	// read returns a small file; the error of one that is not there is [fs.ErrNotExist].
	read(name string) ([]byte, error)
	has(name string) bool
	// open opens a file of any size.
	open(name string) (io.ReadCloser, error)
}

// file reads an archive, or else a list.
func (r Reader) file(ctx context.Context, file string) ([]lint.Index, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := archive.Decompress(progress.Reader(ctx, f, nil))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer content.Close()
	plain, err := r.Deep.keep(f, content)
	if err != nil {
		return nil, err
	}
	defer plain.close()
	all, err := unpack(plain)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(all.sizes) == 0 && (errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
		return r.list(ctx, file) // it is no archive
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := plain.flush(); err != nil {
		return nil, err
	}
	all.at = plain.at
	return r.layout(ctx, file, all)
}

// directory reads an OCI layout, or an unpacked archive of docker save.
func (r Reader) directory(ctx context.Context, dir string) ([]lint.Index, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return r.layout(ctx, dir, inDirectory{root})
}

type inDirectory struct{ root *regular.Root }

func (d inDirectory) has(name string) bool {
	fi, err := d.root.Stat(filepath.FromSlash(name))
	return err == nil && fi.Mode().IsRegular()
}

func (d inDirectory) open(name string) (io.ReadCloser, error) {
	f, err := d.root.Open(filepath.FromSlash(name))
	if errors.Is(err, os.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return f, err
}

func (d inDirectory) read(name string) ([]byte, error) {
	b, err := d.root.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, os.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return b, err
}

// layout reads the images of an OCI layout, or of the older form of docker save.
func (r Reader) layout(ctx context.Context, from string, all files) ([]lint.Index, error) {
	raw, err := all.read("index.json")
	if errors.Is(err, fs.ErrNotExist) {
		return r.saved(ctx, from, all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	var top v1.IndexManifest
	if err := oci.Decode("index.json", raw, &top, 1<<20); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	get := oci.Open(func(h v1.Hash) (io.ReadCloser, error) {
		b, err := all.read("blobs/" + h.Algorithm + "/" + h.Hex)
		return io.NopCloser(bytes.NewReader(b)), err
	}).Get
	var list []lint.Index
	for _, d := range top.Manifests {
		name := from + ": " + named(d)
		raw, err := get(d)
		if err != nil {
			lost := missed(lint.Entry{Desc: d}, err)
			list = append(list, lint.Index{Name: name, Desc: d, Single: true, Entries: []lint.Entry{lost}})
			continue
		}
		i := r.index(d, raw, source{get, get})
		i.Name = name
		if err := r.Deep.look(ctx, &i, blobs(all)); err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, ctx.Err()
}

// named returns the name that a layout gives an image: that of containerd, or of the OCI
// specification, or its digest.
func named(d v1.Descriptor) string {
	for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
		if name := d.Annotations[key]; name != "" {
			return name
		}
	}
	return d.Digest.String()
}
