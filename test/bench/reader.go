package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
)

// archives are the same images in two orders, each archive in a
// directory of its own as in RKE2.
type archives struct {
	bundle string // slipway's, metadata first
	// a docker-archive with manifest.json at its end, as docker save and RKE2's
	// bundle for Windows have it
	last    string
	name    string // the last image in both, by its tag
	wharfie string // the program
}

// absent looks up an image that neither archive has.
func (b *bench) absent(ctx context.Context) (comparison, error) {
	return b.readers(ctx, "Looking for an image that is not there", "lookup", "registry.invalid/none:1")
}

// lookup looks up the last image.
func (b *bench) lookup(ctx context.Context) (comparison, error) {
	return b.readers(ctx, "Looking up the last image", "lookup", "")
}

// read reads the layers of the last image to their end, decompressed.
func (b *bench) read(ctx context.Context) (comparison, error) {
	return b.readers(ctx, "Reading the layers of the last image", "read", "")
}

// readers compares slipway's reader of a bundle with RKE2's, on the bundle and on an
// archive in docker's order. Each figure is the best of five runs: the archives are in
// memory by then, and the best run is the least disturbed by other load.
func (b *bench) readers(ctx context.Context, title, what, image string) (comparison, error) {
	a, err := b.arrange(ctx)
	if err != nil {
		return comparison{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return comparison{}, err
	}
	if image == "" {
		image = a.name
	}
	var all []figure
	for _, way := range []struct {
		name string
		args []string
	}{
		{"slipway", []string{self, what, a.bundle, image}},
		{"wharfie, the same bundle", []string{a.wharfie, what, filepath.Dir(a.bundle), image}},
		{"wharfie, manifest last", []string{a.wharfie, what, filepath.Dir(a.last), image}},
	} {
		var best figure
		for n := range 5 {
			f, err := measure(ctx, way.name, way.args)
			if err != nil {
				return comparison{}, err
			}
			if n == 0 || f.seconds < best.seconds {
				best = f
			}
		}
		all = append(all, best)
	}
	title += fmt.Sprintf(" (a bundle of %d bytes, an archive of %d)", size(a.bundle), size(a.last))
	return comparison{title: title, ours: all[0], other: all[1:]}, nil
}

// arrange makes the archives once for all parts. The compression level, 16 in RKE2, does
// not affect the time to read.
func (b *bench) arrange(ctx context.Context) (*archives, error) {
	if b.archives != nil {
		return b.archives, nil
	}
	l, err := lock.Read(filepath.Join(b.dist, lock.Name))
	if err != nil {
		return nil, err
	}
	a := &archives{
		bundle: filepath.Join(b.tmp, "first", "bundle.tar.zst"), last: filepath.Join(b.tmp, "last", "archive.tar.zst"),
		wharfie: filepath.Join(b.tmp, "wharfie"),
	}
	if err := errors.Join(os.Mkdir(filepath.Dir(a.bundle), 0o755), os.Mkdir(filepath.Dir(a.last), 0o755)); err != nil {
		return nil, err
	}
	from, err := filepath.Abs(filepath.Join(b.dist, l.Name+"-images.linux-"+runtime.GOARCH+".tar.zst"))
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(from, a.bundle); err != nil {
		return nil, err
	}
	c, err := bundle.Inspect(a.bundle)
	if err != nil {
		return nil, err
	}
	a.name = c.Images[len(c.Images)-1].Name
	saved := filepath.Join(b.tmp, "last.tar")
	tags := map[v1.Hash]string{}
	for _, i := range c.Images {
		tags[i.Included()[0].Desc.Digest] = i.Name
	}
	if err := b.dockerSave(l, saved, func(_ lock.Image, c lock.Child, _ int) string {
		return tags[c.Digest]
	}); err != nil {
		return nil, err
	}
	if _, err := measure(ctx, "", []string{"zstd", "-q", "-T0", "-3", "--long=25", saved, "-o", a.last}); err != nil {
		return nil, err
	}
	if _, err := measure(ctx, "",
		[]string{"go", "-C", filepath.Join("test", "consumers"), "build", "-o", a.wharfie, "./wharfie"}); err != nil {
		return nil, err
	}
	b.archives = a
	return a, nil
}

// readFrom runs in a subprocess of the benchmark: it opens a bundle and finds an image or reads
// its layers.
func readFrom(what, path, image string) error {
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // the program ends
	i, err := b.Contents().Find(image)
	if what == "lookup" {
		return nil // found or not
	}
	if err != nil {
		return err
	}
	for _, l := range i.Included()[0].Layers {
		r, err := b.Open(l.Digest)
		if err != nil {
			return err
		}
		if err := unpacked(r, string(l.MediaType)); err != nil {
			return fmt.Errorf("reading layer %s: %w", l.Digest, err)
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// unpacked reads a layer decompressed, then the remaining input to its end,
// where the digest is checked.
func unpacked(r io.Reader, mediaType string) error {
	var content io.Reader
	if strings.HasSuffix(mediaType, "+zstd") {
		z, err := zstd.NewReader(r)
		if err != nil {
			return err
		}
		defer z.Close()
		content = z
	} else {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		content = z
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r)
	return err
}
