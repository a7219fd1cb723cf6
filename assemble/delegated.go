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
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// delegated is the Dockerfile of an image for one platform that the user's own builder builds.
type delegated struct {
	Input
	*product.DockerfileImage

	image    product.Image
	platform platform.Platform
	tool     builder.Tool
	contexts map[string]string                   // the images that it names, in the words of builders
	programs map[string]map[string]layer.Content // by context and path
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
func (m *maker) delegate(ctx context.Context, i product.Image, p platform.Platform) (child, error) {
	from := FromBuilder(i.Name)
	t := product.PrebuiltImage{Platform: p, Text: from, File: &product.ImageFile{Text: from}}
	if m.bases.Shipped != nil {
		got, err := m.bring(ctx, i, t)
		if err != nil {
			return child{}, err
		}
		return m.takenChild(ctx, i, got)
	}
	d, err := m.newDelegated(ctx, i, p)
	if err != nil {
		return child{}, err
	}
	d.tool, err = m.tools.Do(d.Builder, func() (builder.Tool, error) { return builder.Find(ctx, d.Builder) })
	if err != nil {
		return child{}, err
	}
	if d.programs, err = m.copied(ctx, d); err != nil {
		return child{}, err
	}
	manifest, err := d.build(ctx)
	if err != nil {
		return child{}, err
	}
	got, err := m.inStore(manifest, t, nil)
	if err != nil {
		return child{}, err
	}
	got.builder = d.tool.Version
	made, err := m.takenChild(ctx, i, got)
	made.lock.Base, made.lock.CopiedFrom = lockBase(d.used.base), lockBases(d.used.from)
	return made, err
}

// kindDelegated is the kind of records of images of builders, by everything that they were made
// from.
const kindDelegated = "builder"

// build returns the manifest that the builder makes. The builder reads copies, which are read
// before, so that a record is of exactly these.
func (d *delegated) build(ctx context.Context) (manifest v1.Hash, err error) {
	key, err := d.inputs(ctx)
	if err != nil {
		return manifest, err
	}
	if manifest, ok, err := d.remembered(key); err != nil || ok {
		return manifest, err
	}
	dir, err := disk.Scratch(d.Store.Temp())
	if err != nil {
		return manifest, err
	}
	defer os.RemoveAll(dir)
	r, err := d.request(ctx, dir)
	if err != nil {
		return manifest, err
	}
	if key, err = d.ofCopies(r); err != nil {
		return manifest, err
	}
	if manifest, ok, err := d.remembered(key); err != nil || ok {
		return manifest, err
	}
	t := d.Progress.Start(fmt.Sprintf("%s build of %s for %s", d.Builder, d.image.Name, d.platform), progress.Items, 0)
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
		Transport: imagefile.OCI, Path: layout, Text: "the image of " + d.Builder,
	}, d.Store)
	if err != nil {
		return manifest, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	img, err := f.Image(d.platform)
	if err != nil {
		return manifest, err
	}
	put, err := d.put(ctx, d.image, img)
	if err != nil {
		return manifest, err
	}
	return put.Manifest.Digest, d.Store.Record(kindDelegated, key, put.Manifest.Digest)
}

// remembered returns the image that was built from the same before, if the store still has it.
func (d *delegated) remembered(key string) (manifest v1.Hash, ok bool, err error) {
	found, err := d.Store.Recall(kindDelegated, key, &manifest)
	if err != nil || !found || d.Rebuild {
		return manifest, false, err
	}
	_, complete, err := d.Store.Tree(v1.Descriptor{Digest: manifest})
	return manifest, complete, err
}

// delegated reads a Dockerfile that a builder builds. No builder is run or asked.
func (c *checker) delegated(ctx context.Context, i product.Image, p platform.Platform) (f finding) {
	if c.bases.Shipped != nil {
		return f // its image is taken from the release
	}
	d, err := c.newDelegated(ctx, i, p)
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
