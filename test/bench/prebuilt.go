package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/slipway-dev/slipway/internal/disk"
)

// prebuiltImages and prebuiltBytes are those of the part prebuilt: a gigabyte in all.
const (
	prebuiltImages = 10
	prebuiltLayers = 4
	prebuiltBytes  = 1 << 30
)

// prebuilt publishes images that another builder has made, out of OCI layouts, to an empty
// registry, and then again. Slipway has an empty store: it compares each byte, keeps it, and
// reads the files in it. crane and skopeo push the layouts one after the other, as scripts do.
// None packs bundles.
func (b *bench) prebuilt(ctx context.Context) (comparison, error) {
	dir := filepath.Join(b.tmp, "prebuilt")
	var text strings.Builder
	text.WriteString("apiVersion: slipway/v1\nname: taken\nversion: 1.0.0\nplatforms: [linux/amd64]\n" +
		"sources: [{name: here, directory: ., revision: a, created: 2026-01-01T00:00:00Z}]\n" +
		"images:\n")
	for n := range prebuiltImages {
		name := fmt.Sprintf("image-%d", n)
		if err := randomLayout(filepath.Join(dir, name)); err != nil {
			return comparison{}, err
		}
		fmt.Fprintf(&text, "  - {name: %s, source: here, prebuilt: {linux: \"oci:%s\"}}\n", name, name)
	}
	product := filepath.Join(dir, "slipway.yaml")
	if err := disk.Write(product, []byte(text.String()), disk.ModeFile); err != nil {
		return comparison{}, err
	}
	ways := []pusher{
		{"slipway build and publish", func(to string) (all [][]string) {
			for _, stage := range []string{"build", "publish"} {
				all = append(all, []string{
					b.slipway, "stage", stage, "-q", "-product=" + product, "-registry=" + to + "/x",
					"-store=" + filepath.Join(dir, "store"), "-out=" + filepath.Join(dir, "dist"),
				})
			}
			return all
		}},
		{"crane push", func(to string) (all [][]string) {
			for n := range prebuiltImages {
				all = append(all, []string{
					b.crane, "push", "--insecure", filepath.Join(dir, fmt.Sprintf("image-%d", n)),
					fmt.Sprintf("%s/x/taken/image-%d:1.0.0", to, n),
				})
			}
			return all
		}},
		{"skopeo copy", func(to string) (all [][]string) {
			for n := range prebuiltImages {
				all = append(all, []string{
					"skopeo", "--insecure-policy", "copy", "--quiet", "--dest-tls-verify=false",
					"oci:" + filepath.Join(dir, fmt.Sprintf("image-%d", n)),
					fmt.Sprintf("docker://%s/x/taken/image-%d:1.0.0", to, n),
				})
			}
			return all
		}},
	}
	best := make([]figure, 2*len(ways))
	for range 3 {
		for n, way := range ways {
			for _, made := range []string{"store", "dist"} {
				if err := os.RemoveAll(filepath.Join(dir, made)); err != nil {
					return comparison{}, err
				}
			}
			once, again, err := b.pushTwice(ctx, way)
			if err != nil {
				return comparison{}, err
			}
			best[2*n], best[2*n+1] = best[2*n].best(once), best[2*n+1].best(again)
		}
	}
	return comparison{
		title: fmt.Sprintf("Publishing %d prebuilt images of %d MiB, from an empty store to an empty registry",
			prebuiltImages, prebuiltBytes/prebuiltImages>>20),
		ours: best[0], other: best[1:],
	}, nil
}

// randomLayout writes an image that does not compress, for linux/amd64, into a layout.
func randomLayout(dir string) error {
	img, err := randomLinux(prebuiltBytes/prebuiltImages/prebuiltLayers, prebuiltLayers)
	if err != nil {
		return err
	}
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return p.AppendImage(img)
}
