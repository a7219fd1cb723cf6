package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/random"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// again pushes a bundle of 20 images that the registry already has: the images of the
// release under additional names.
func (b *bench) again(ctx context.Context) (comparison, error) {
	l, st, err := readRelease(b.dist, b.store)
	if err != nil {
		return comparison{}, err
	}
	many := twenty(l)
	files, _, err := airgap.Pack(ctx, st, many, []airgap.Target{{Name: "twenty"}},
		airgap.PackOptions{Dir: filepath.Join(b.tmp, "twenty")})
	if err != nil {
		return comparison{}, err
	}
	contents, err := bundle.Inspect(files[0].Path)
	if err != nil {
		return comparison{}, err
	}
	layouts, err := b.layouts(contents.Images)
	if err != nil {
		return comparison{}, err
	}
	return b.pushers(ctx, fmt.Sprintf("Pushing %d images that are there", len(many.Images)), files[0].Path,
		contents.Images, layouts, false)
}

// curve packs 1 to 200 images of 1 MiB each, to show that peak memory does
// not depend on their number.
func (b *bench) curve(ctx context.Context) (comparison, error) {
	self, err := os.Executable()
	if err != nil {
		return comparison{}, err
	}
	dir := filepath.Join(b.tmp, "curve")
	st, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		return comparison{}, err
	}
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Release: lock.Release{
		Name: "curve", Version: "1",
		Created: time.Unix(0, 0).UTC(), Registry: "registry.invalid", Sources: []lock.Source{{Name: "curve"}},
	}}
	var all []figure
	for n := range 200 {
		i, err := randomImage(st, n)
		if err != nil {
			return comparison{}, err
		}
		l.Images = append(l.Images, i)
		switch n + 1 {
		case 1, 10, 50, 100, 200:
			if err := l.Write(filepath.Join(dir, lock.Name)); err != nil {
				return comparison{}, err
			}
			out := filepath.Join(dir, strconv.Itoa(n))
			f, err := measure(ctx, fmt.Sprintf("%d images", n+1), []string{self, "pack", dir, st.Dir(), out})
			if err != nil {
				return comparison{}, err
			}
			f.bytes = size(filepath.Join(out, "curve.tar.zst"))
			all = append(all, f)
		}
	}
	return comparison{
		title: "Packing images of 1 MiB, slipway alone: the memory of one is the memory of all",
		ours:  all[0], other: all[1:],
	}, nil
}

// randomLinux makes an image that does not compress, for linux/amd64, with layers of a size in
// bytes.
func randomLinux(size, layers int64) (v1.Image, error) {
	img, err := random.Image(size, layers)
	if err != nil {
		return nil, err
	}
	cf, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture = "linux", "amd64"
	return mutate.ConfigFile(img, cf)
}

// randomImage adds an incompressible image to the store.
func randomImage(st *store.Store, n int) (lock.Image, error) {
	img, err := randomLinux(1<<20, 1)
	if err != nil {
		return lock.Image{}, err
	}
	d, err := partial.Descriptor(img)
	if err != nil {
		return lock.Image{}, err
	}
	if err := addImage(st, img); err != nil {
		return lock.Image{}, err
	}
	config, err := img.ConfigName()
	name := fmt.Sprintf("image-%03d", n)
	return lock.Image{
		Name: name, Kind: "go", MediaType: d.MediaType, Digest: d.Digest,
		Size: d.Size, Repository: "registry.invalid/curve/" + name, Tags: []string{"1"},
		Children: []lock.Child{{
			Platform:  platform.Platform{OS: platform.Linux, Architecture: "amd64"},
			MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Config: config,
		}},
	}, err
}

// addImage puts an image into the store.
func addImage(st *store.Store, img v1.Image) error {
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		h, err := l.Digest()
		if err != nil {
			return err
		}
		r, err := l.Compressed()
		if err != nil {
			return err
		}
		if err := errors.Join(st.Put(h, r), r.Close()); err != nil {
			return err
		}
	}
	for _, document := range []func() ([]byte, error){img.RawConfigFile, img.RawManifest} {
		raw, err := document()
		if err != nil {
			return err
		}
		if _, err := st.PutBytes(raw); err != nil {
			return err
		}
	}
	return nil
}

// packAll runs in a subprocess of the benchmark, so that its memory can
// be measured separately.
func packAll(ctx context.Context, dist, dir, out string) error {
	l, st, err := readRelease(dist, dir)
	if err != nil {
		return err
	}
	_, _, err = airgap.Pack(ctx, st, l, []airgap.Target{{Name: "curve"}}, airgap.PackOptions{Dir: out})
	return err
}
