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

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// push pushes the bundle for all platforms to an empty registry, and once more. skopeo and crane push the same images, one after the other as
// scripts do, from OCI layouts: these are unpacked already; what that takes stands in a row of its own. Each pushes to a docker-registry of its own.
func (b *bench) push(ctx context.Context) (comparison, error) {
	l, err := lock.Read(filepath.Join(b.dist, lock.Name))
	if err != nil {
		return comparison{}, err
	}
	bundle := filepath.Join(b.dist, l.Name+"-images.tar.zst")
	contents, err := airgap.Inspect(bundle)
	if err != nil {
		return comparison{}, err
	}
	layouts, err := b.layouts(contents.Images)
	if err != nil {
		return comparison{}, err
	}
	c, err := b.pushers(ctx, fmt.Sprintf("Pushing %d images of a bundle (%d bytes) to an empty registry", len(contents.Images), size(bundle)), bundle, contents.Images, layouts, true)
	if err != nil {
		return c, err
	}
	unpacked := filepath.Join(b.tmp, "unpacked")
	if err := os.Mkdir(unpacked, 0o755); err != nil {
		return c, err
	}
	first, err := measure(ctx, "tar -x of the bundle, which these two need first", []string{"tar", "-I", "zstd", "-xf", bundle, "-C", unpacked})
	c.other = append(c.other, first)
	return c, err
}

// pushers push images to registries of their own, and once more; without first, only that is compared.
func (b *bench) pushers(ctx context.Context, title, bundle string, images []airgap.Image, layouts []string, first bool) (comparison, error) {
	c := comparison{title: title}
	for _, way := range []struct {
		name     string
		commands func(registry string) [][]string
	}{
		{"slipway airgap push", func(to string) [][]string { return [][]string{{b.slipway, "airgap", "push", bundle, "-to", to, "-q"}} }},
		{"skopeo copy --all", func(to string) (all [][]string) {
			for n, i := range images {
				all = append(all, []string{"skopeo", "--insecure-policy", "copy", "--all", "--quiet", "--dest-tls-verify=false", "oci:" + layouts[n], "docker://" + target(i, to)})
			}
			return all
		}},
		{"crane push", func(to string) (all [][]string) {
			for n, i := range images {
				all = append(all, []string{b.crane, "push", "--insecure", layouts[n], target(i, to)})
			}
			return all
		}},
	} {
		b.registries++
		registry, stop, err := b.registry(ctx, "push-"+strconv.Itoa(b.registries))
		if err != nil {
			return c, err
		}
		once, err := measure(ctx, way.name, way.commands(registry)...)
		if err == nil && first {
			c.other = append(c.other, once)
		}
		if err == nil {
			var again figure
			again, err = measure(ctx, way.name+", again", way.commands(registry)...)
			c.other = append(c.other, again)
		}
		stop()
		if err != nil {
			return c, err
		}
	}
	c.ours, c.other = c.other[0], c.other[1:]
	return c, nil
}

// target is an image's name in a registry.
func target(i airgap.Image, registry string) string {
	_, path, _ := strings.Cut(i.Name, "/")
	return registry + "/" + path
}

// layouts writes each image into a directory of its own, since crane takes no other.
func (b *bench) layouts(images []airgap.Image) ([]string, error) {
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
		if i.MediaType.IsIndex() {
			idx, err := st.Index(i.Digest)
			if err == nil {
				err = p.AppendIndex(idx)
			}
			if err != nil {
				return nil, err
			}
		} else {
			img, err := st.Image(i.Digest)
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
