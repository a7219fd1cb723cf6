package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// push pushes the bundle for all platforms to an empty registry, and then again. skopeo
// and crane push the same images one after the other, as scripts do, from OCI layouts.
// The layouts are unpacked beforehand; a separate row has the time for that. Each tool
// pushes to a docker-registry of its own.
func (b *bench) push(ctx context.Context) (comparison, error) {
	l, err := lock.Read(filepath.Join(b.dist, lock.Name))
	if err != nil {
		return comparison{}, err
	}
	path := filepath.Join(b.dist, l.Name+"-images.tar.zst")
	contents, err := bundle.Inspect(path)
	if err != nil {
		return comparison{}, err
	}
	layouts, err := b.layouts(contents.Images)
	if err != nil {
		return comparison{}, err
	}
	c, err := b.pushers(ctx, fmt.Sprintf("Pushing %d images of a bundle (%d bytes) to an empty registry",
		len(contents.Images), size(path)), path, contents.Images, layouts, true)
	if err != nil {
		return c, err
	}
	unpacked := filepath.Join(b.tmp, "unpacked")
	if err := os.Mkdir(unpacked, 0o755); err != nil {
		return c, err
	}
	first, err := measure(ctx, "tar -x of the bundle, which these two need first",
		[]string{"tar", "-I", "zstd", "-xf", path, "-C", unpacked})
	c.other = append(c.other, first)
	return c, err
}

// pusher is a way to push images: it returns the commands for a registry.
type pusher struct {
	name     string
	commands func(registry string) [][]string
}

// pushers pushes images in several ways in turn, each to a registry of its own, and
// then again. Without first, only the second push is compared. Each figure is the
// best of three runs: pushes mostly wait for the registry, and the best run is the
// least disturbed by other load.
func (b *bench) pushers(ctx context.Context, title, bundle string, images []bundle.Image, layouts []string,
	first bool,
) (comparison, error) {
	ways := []pusher{
		{"slipway airgap push", func(to string) [][]string {
			return [][]string{{b.slipway, "airgap", "push", "-snapshot", bundle, "-to", to, "-q"}}
		}},
		{"skopeo copy --all", func(to string) (all [][]string) {
			for n, i := range images {
				all = append(all, []string{
					"skopeo", "--insecure-policy", "copy", "--all", "--quiet",
					"--dest-tls-verify=false", "oci:" + layouts[n], "docker://" + target(i, to),
				})
			}
			return all
		}},
		{"crane push", func(to string) (all [][]string) {
			for n, i := range images {
				all = append(all, []string{b.crane, "push", "--insecure", layouts[n], target(i, to)})
			}
			return all
		}},
	}
	best := make([]figure, 2*len(ways))
	for range 3 {
		for n, way := range ways {
			once, again, err := b.pushTwice(ctx, way)
			if err != nil {
				return comparison{}, err
			}
			best[2*n], best[2*n+1] = best[2*n].best(once), best[2*n+1].best(again)
		}
	}
	var all []figure
	for n, f := range best {
		if first || n%2 == 1 {
			all = append(all, f)
		}
	}
	return comparison{title: title, ours: all[0], other: all[1:]}, nil
}

// pushTwice pushes to an empty registry, and then again.
func (b *bench) pushTwice(ctx context.Context, way pusher) (once, again figure, err error) {
	registry, stop, err := b.nextRegistry(ctx)
	if err != nil {
		return once, again, err
	}
	defer stop()
	if once, err = measure(ctx, way.name, way.commands(registry)...); err != nil {
		return once, again, err
	}
	again, err = measure(ctx, way.name+", again", way.commands(registry)...)
	return once, again, err
}

// target returns an image's name in a registry.
func target(i bundle.Image, registry string) string {
	_, path, _ := strings.Cut(i.Name, "/")
	return registry + "/" + path
}

// layouts writes each image into a layout directory of its own, the
// only form that crane reads.
func (b *bench) layouts(images []bundle.Image) ([]string, error) {
	st, err := store.Open(b.store)
	if err != nil {
		return nil, err
	}
	var all []string
	for n, i := range images {
		dir := filepath.Join(b.tmp, "layouts", strconv.Itoa(len(images)), strconv.Itoa(n))
		p, err := layout.Write(dir, empty.Index)
		if err != nil {
			return nil, err
		}
		if i.Tree.Desc.MediaType.IsIndex() {
			idx, err := storetest.OpenIndex(st, i.Digest())
			if err == nil {
				err = p.AppendIndex(idx)
			}
			if err != nil {
				return nil, err
			}
		} else {
			img, err := st.Image(i.Digest())
			if err == nil {
				err = p.AppendImage(img)
			}
			if err != nil {
				return nil, err
			}
		}
		all = append(all, dir)
	}
	return all, nil
}
