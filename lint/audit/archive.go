package audit

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lint"
)

// maxDocuments bounds the documents of an archive that are kept, in bytes, and maxFiles its files.
const (
	maxDocuments = 256 << 20
	maxFiles     = 1 << 20
)

// files are the files of an archive or a directory.
type files interface {
	// read returns a small file; the error of one that is not there is [fs.ErrNotExist].
	read(name string) ([]byte, error)
	has(name string) bool
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
	all, err := unpack(content)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(all.sizes) == 0 && (errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
		return r.list(ctx, file) // it is no archive
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r.layout(ctx, file, all)
}

// packed are the files of an archive: all sizes, and the contents of those that may be documents.
type packed struct {
	sizes    map[string]int64
	contents map[string][]byte
}

func (p packed) has(name string) bool { _, ok := p.sizes[name]; return ok }

func (p packed) read(name string) ([]byte, error) {
	if b, ok := p.contents[name]; ok {
		return b, nil
	}
	if p.has(name) {
		return nil, fmt.Errorf("%s has %d bytes, which no document has", name, p.sizes[name])
	}
	return nil, fs.ErrNotExist
}

// unpack reads an archive to its end, once. Only what may be a document of an image is kept.
func unpack(r io.Reader) (packed, error) {
	p := packed{sizes: map[string]int64{}, contents: map[string][]byte{}}
	kept := int64(0)
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return p, err
		}
		name := path.Clean("/" + h.Name)[1:]
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if p.sizes[name] = h.Size; len(p.sizes) > maxFiles {
			return p, fmt.Errorf("it has more than %d files", maxFiles)
		}
		head := make([]byte, 1)
		if n, err := io.ReadFull(t, head); n == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return p, err
			}
			continue
		}
		if h.Size > oci.MaxConfig || head[0] != '{' && head[0] != '[' {
			continue
		}
		if kept += h.Size; kept > maxDocuments {
			return p, fmt.Errorf("its documents have more than %d MiB", maxDocuments>>20)
		}
		b, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), t))
		if err != nil {
			return p, err
		}
		p.contents[name] = b
	}
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
		return saved(from, all)
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

// saved reads manifest.json of docker save.
func saved(from string, all files) ([]lint.Index, error) {
	raw, err := all.read("manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has neither index.json nor manifest.json: it is no archive of images", from)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	var images []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := oci.CheckJSON("manifest.json", raw, 1<<20); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if err := json.Unmarshal(raw, &images); err != nil {
		return nil, fmt.Errorf("%s: manifest.json: %w", from, err)
	}
	var list []lint.Index
	for _, i := range images {
		name := i.Config
		if len(i.RepoTags) > 0 {
			name = i.RepoTags[0]
		}
		list = append(list, lint.Index{
			Name: from + ": " + name, Single: true, Entries: []lint.Entry{savedEntry(all, i.Config, i.Layers)},
		})
	}
	return list, nil
}

func savedEntry(all files, config string, layers []string) (e lint.Entry) {
	raw, err := all.read(path.Clean("/" + config)[1:])
	if err != nil {
		return missed(e, err)
	}
	if e.Config, err = v1.ParseConfigFile(bytes.NewReader(raw)); err != nil {
		e.Fault = fmt.Errorf("%s: %w", config, err)
		return e
	}
	for _, l := range layers {
		if !all.has(path.Clean("/" + l)[1:]) {
			e.Missing = true
		}
	}
	return e
}
