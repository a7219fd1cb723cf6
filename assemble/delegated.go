package assemble

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Rebuild lets the builders of Dockerfiles run although nothing has changed, and without what they
// have in their caches.
func (b *Builder) Rebuild() { b.rebuild = true }

// delegated is the Dockerfile of an image for one platform that the user's own builder builds.
type delegated struct {
	*product.DockerfileImage

	image    product.Image
	platform platform.Platform
	tool     builder.Tool
	contexts map[string]string // the images that it names, in the words of builders
	used     used
}

// builderOf returns the builder of an image for a platform; "" for none.
func builderOf(i product.Image, p platform.Platform) string {
	d, ok := i.Content.(*product.DockerfileImage)
	if _, prebuilt := i.PrebuiltOn(p); !ok || prebuilt || p.OS != platform.Linux {
		return ""
	}
	return d.Builder
}

// FromBuilder is what a lock has as the origin of an image that the user's builder made.
func FromBuilder(image string) string { return "builder:" + image }

// delegate has a Dockerfile built by the user's builder, unless it was built from the same before,
// and takes the image as it is.
func (b *Builder) delegate(ctx context.Context, i product.Image, p platform.Platform) (child, error) {
	from := FromBuilder(i.Name)
	t := product.PrebuiltImage{Platform: p, Text: from, File: &product.ImageFile{Text: from}}
	if b.bases.Shipped != nil {
		got, err := b.bring(ctx, i, t)
		if err != nil {
			return child{}, err
		}
		return b.takenChild(ctx, i, got)
	}
	d, err := b.newDelegated(ctx, i, p)
	if err != nil {
		return child{}, err
	}
	if d.tool, err = b.tool(ctx, d.Builder); err != nil {
		return child{}, err
	}
	manifest, err := b.builtBy(ctx, d)
	if err != nil {
		return child{}, err
	}
	got, err := b.inStore(manifest, t, nil)
	if err != nil {
		return child{}, err
	}
	got.builder = d.tool.Version
	made, err := b.takenChild(ctx, i, got)
	made.lock.Base, made.lock.CopiedFrom = lockBase(d.used.base), lockBases(d.used.from)
	return made, err
}

// tool finds a builder, once.
func (b *Builder) tool(ctx context.Context, name string) (builder.Tool, error) {
	return b.tools.Do(name, func() (builder.Tool, error) { return builder.Find(ctx, name) })
}

// kindDelegated is the kind of records of what builders made, by all that it was made from.
const kindDelegated = "builder"

// builtBy returns the manifest that the builder makes. What it reads is copied and looked at first,
// so that a record is of exactly that.
func (b *Builder) builtBy(ctx context.Context, d *delegated) (manifest v1.Hash, err error) {
	key, err := b.inputsOf(ctx, d)
	if err != nil {
		return manifest, err
	}
	if manifest, ok, err := b.remembered(key); err != nil || ok {
		return manifest, err
	}
	dir, err := disk.Scratch(b.store.Temp())
	if err != nil {
		return manifest, err
	}
	defer os.RemoveAll(dir)
	r, err := b.request(ctx, d, dir)
	if err != nil {
		return manifest, err
	}
	if key, err = d.ofCopies(b.store, r); err != nil {
		return manifest, err
	}
	if manifest, ok, err := b.remembered(key); err != nil || ok {
		return manifest, err
	}
	t := b.progress.Start(fmt.Sprintf("%s build of %s for %s", d.Builder, d.image.Name, d.platform), progress.Items, 0)
	r.Note = t.Note
	layout := filepath.Join(dir, "layout")
	if err := disk.MkdirAll(layout); err != nil {
		return manifest, err
	}
	if err := d.tool.Build(ctx, r, layout); err != nil {
		t.Fail()
		return manifest, err
	}
	t.Done("")
	f, err := imagefile.Open(ctx, imagefile.Reference{
		Transport: imagefile.OCI, Path: layout, Text: "what " + d.Builder + " has made",
	}, b.store)
	if err != nil {
		return manifest, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	img, err := f.Image(d.platform)
	if err != nil {
		return manifest, err
	}
	put, err := b.put(ctx, d.image, img)
	if err != nil {
		return manifest, err
	}
	return put.Manifest.Digest, b.store.Record(kindDelegated, key, put.Manifest.Digest)
}

// remembered returns what was built from the same before, if the store has it still.
func (b *Builder) remembered(key string) (manifest v1.Hash, ok bool, err error) {
	found, err := b.store.Recall(kindDelegated, key, &manifest)
	if err != nil || !found || b.rebuild {
		return manifest, false, err
	}
	_, complete, err := b.store.Tree(v1.Descriptor{Digest: manifest})
	return manifest, complete, err
}

// checkDelegated reads a Dockerfile that a builder builds. No builder is run or asked.
func (b *Builder) checkDelegated(ctx context.Context, i product.Image, p platform.Platform) (f finding) {
	if b.bases.Shipped != nil {
		return f // its image is taken from the release
	}
	d, err := b.newDelegated(ctx, i, p)
	if err != nil {
		return finding{errs: output.Split(err)}
	}
	return finding{on: []used{d.used}}
}

// Builders returns the builders that the product asks for, and for each the platforms that it is
// asked for.
func Builders(p *product.Product) map[string][]platform.Platform {
	all := map[string][]platform.Platform{}
	for _, i := range p.Images {
		for _, on := range i.Platforms {
			name := builderOf(i, on)
			same := func(o platform.Platform) bool { return platform.Same(o, on) }
			if name != "" && !slices.ContainsFunc(all[name], same) {
				all[name] = append(all[name], on)
			}
		}
	}
	return all
}
