package audit

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lint"
)

// file reads an archive, or else a list.
func (r Reader) file(ctx context.Context, file string) ([]lint.Index, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	content, err := archive.Decompress(progress.Reader(ctx, f, nil))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer content.Close()
	plain, err := r.Deep.keep(f, content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer plain.close()
	all, err := unpack(plain, fi.Size())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(all.files) == 0 && !compressed(f) &&
		(errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
		return r.list(ctx, file) // not an archive
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, archive.Damaged(err))
	}
	if err := plain.flush(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all.at = plain.at
	list, err := r.layout(ctx, file, all)
	if err == nil {
		list[0].Archive.Ambiguous = append(list[0].Archive.Ambiguous, all.ambiguous...)
	}
	return list, err
}

// compressed reports whether a file begins as a compressed one does.
func compressed(f io.ReaderAt) bool {
	head := make([]byte, archive.HeadSize)
	n, _ := f.ReadAt(head, 0) // a short file is an error
	return archive.Compression(head[:n]) != ""
}

// layouts are where archives have their OCI layout: at the top, or in a directory, as packages of
// zarf do.
var layouts = []string{"", "images/"}

// layout reads the images of an OCI layout, or of the older form of docker save.
func (r Reader) layout(ctx context.Context, from string, all files) ([]lint.Index, error) {
	for _, prefix := range layouts {
		raw, err := all.read(prefix + "index.json")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var top v1.IndexManifest
		if err == nil {
			err = oci.Decode("index.json", raw, &top, 1<<20)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		return r.images(ctx, from, newContents(all, prefix, top), top)
	}
	return r.saved(ctx, from, all)
}

// images reads what index.json lists.
func (r Reader) images(ctx context.Context, from string, c *contents, top v1.IndexManifest) ([]lint.Index, error) {
	if len(top.Manifests) == 0 {
		return nil, fmt.Errorf("%s: index.json lists no image", from)
	}
	promise := promised(from)
	var list []lint.Index
	for _, d := range top.Manifests {
		c.begin(d)
		name := from + ": " + named(d)
		raw, err := c.get(d)
		if err != nil {
			lost := missed(lint.Entry{Desc: d}, err)
			list = append(list, lint.Index{
				Name: name, Desc: d, Single: true, Packed: true, Entries: []lint.Entry{lost},
			})
			continue
		}
		i := r.index(d, raw, source{c.get, c.get, c.layers}, 0)
		i.Name, i.Packed, i.Promise = name, true, promise
		if err := r.Deep.look(ctx, &i, c.blobs); err != nil {
			return nil, err
		}
		proofs, failed := read(attestations(&i, c.get), source{configs: c.get}, r.Jobs)
		if err := errors.Join(failed...); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		i.Evidence = &lint.Evidence{Proofs: proofs}
		list = append(list, i)
		c.end(i)
	}
	list[0].Archive = c.archive(from, list)
	return list, ctx.Err()
}

// named returns the name that a layout gives an image: that of containerd, of the OCI
// specification, or of older packages of zarf; or else its digest.
func named(d v1.Descriptor) string {
	for _, key := range []string{imageName, refName, "org.opencontainers.image.base.name"} {
		if name := d.Annotations[key]; name != "" {
			return name
		}
	}
	return d.Digest.String()
}

// Annotations with the name of an image in index.json: that of containerd with the whole name, and
// that of the OCI specification, which may have the tag alone.
const (
	imageName = "io.containerd.image.name"
	refName   = "org.opencontainers.image.ref.name"
)
