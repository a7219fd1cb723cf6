package main

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// recipe compares packing the bundle for all platforms with what RKE2's scripts do to a
// docker-archive of the same images: they reorder it with bsdtar in two passes and compress
// it with zstd -16. Making the docker-archive, as docker save would, is not timed. The last
// row adds the compression of the layers, which a build does once and keeps.
func (b *bench) recipe(ctx context.Context) (comparison, error) {
	out := filepath.Join(b.tmp, "packed")
	l, err := lock.Read(filepath.Join(b.dist, lock.Name))
	if err != nil {
		return comparison{}, err
	}
	if err := errors.Join(os.Mkdir(out, 0o755), l.Write(filepath.Join(out, lock.Name))); err != nil {
		return comparison{}, err
	}
	ours, err := measure(ctx, "slipway airgap pack, all bundles",
		[]string{b.slipway, "airgap", "pack", "-q", "-product", b.product, "-store", b.store, "-out", out})
	if err != nil {
		return comparison{}, err
	}
	bundles, err := filepath.Glob(filepath.Join(out, "*.tar.zst"))
	if err != nil {
		return comparison{}, err
	}
	var whole string
	for _, f := range bundles {
		if whole == "" || len(f) < len(whole) {
			whole = f
		}
	}
	ours.bytes = size(whole)

	saved := filepath.Join(b.tmp, "saved.tar")
	tag := func(i lock.Image, _ lock.Child, n int) string { return fmt.Sprintf("%s-%d", i.Tagged(), n) }
	if err := b.dockerSave(l, saved, tag); err != nil {
		return comparison{}, err
	}
	ordered := filepath.Join(b.tmp, "ordered.tar")
	theirs, err := measure(ctx, "bsdtar, bsdtar -r, zstd -T0 -16 --long=25: one bundle",
		[]string{"bsdtar", "-c", "-f", ordered, "--include", "manifest.json", "@" + saved},
		[]string{"bsdtar", "-r", "-f", ordered, "--exclude", "manifest.json", "@" + saved},
		[]string{"zstd", "-q", "-T0", "-16", "-f", "--long=25", ordered})
	theirs.bytes = size(ordered + ".zst")
	if err != nil {
		return comparison{}, err
	}
	programs := filepath.Join(b.tmp, "recipe-programs")
	if err := b.programsOnly(ctx, "recipe-programs"); err != nil {
		return comparison{}, err
	}
	compressed, err := measure(ctx, "slipway release: layers compressed, then packed",
		[]string{
			b.slipway, "release", "-q", "-product", b.product, "-store",
			programs, "-out", filepath.Join(b.tmp, "dist-compressed"),
		})
	compressed.bytes = size(filepath.Join(b.tmp, "dist-compressed", filepath.Base(whole)))
	return comparison{
		title: fmt.Sprintf("Packing: %d bundles at once against one bundle of the same images", len(bundles)),
		ours:  ours, other: []figure{theirs, compressed},
	}, err
}

func size(path string) int64 {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// dockerSave writes manifests of the release into a docker-archive with uncompressed layers, each
// once, as docker save does. Manifests for which tag returns nothing are omitted.
func (b *bench) dockerSave(l *lock.Lock, path string, tag func(i lock.Image, c lock.Child, n int) string) (err error) {
	st, err := store.Open(b.store)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	t := tar.NewWriter(f)
	type entry struct {
		Config           string
		RepoTags, Layers []string
	}
	var manifest []entry
	written := map[v1.Hash]bool{}
	for _, i := range l.Images {
		for n, c := range i.Children {
			name := tag(i, c, n)
			if name == "" {
				continue
			}
			img, err := st.Image(c.Digest)
			if err != nil {
				return err
			}
			e := entry{Config: c.Config.Hex + ".json", RepoTags: []string{name}}
			raw, err := img.RawConfigFile()
			if err != nil {
				return err
			}
			if err := t.WriteHeader(&tar.Header{Name: e.Config, Mode: 0o644, Size: int64(len(raw))}); err != nil {
				return err
			}
			if _, err := t.Write(raw); err != nil {
				return err
			}
			layers, err := img.Layers()
			if err != nil {
				return err
			}
			for _, layer := range layers {
				d, err := layer.DiffID()
				if err != nil {
					return err
				}
				file := d.Hex + "/layer.tar"
				e.Layers = append(e.Layers, file)
				if written[d] {
					continue
				}
				written[d] = true
				if err := copyLayer(t, layer, file, filepath.Join(b.tmp, "layer")); err != nil {
					return err
				}
			}
			manifest = append(manifest, e)
		}
	}
	raw, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: "manifest.json", Mode: 0o644, Size: int64(len(raw))}); err != nil {
		return err
	}
	if _, err := t.Write(raw); err != nil {
		return err
	}
	return t.Close()
}

// copyLayer copies through a file, because a tar header needs the size first.
func copyLayer(t *tar.Writer, l v1.Layer, name, tmp string) error {
	r, err := l.Uncompressed()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(f, r)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: n}); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}
