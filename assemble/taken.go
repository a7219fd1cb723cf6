package assemble

import (
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// taken is an image for one platform that another builder made.
type taken struct {
	manifest  *oci.Tree // with the platform of the configuration
	config    *v1.ConfigFile
	from      string // as [lock.Taken] has it
	builder   string
	referrers []oci.Referrer
}

// take brings the image of another builder into the store, byte for byte.
func (b *Builder) take(ctx context.Context, i product.Image, t product.PrebuiltImage) (child, error) {
	got, err := b.bring(ctx, i, t)
	var c child
	if err == nil {
		c, err = b.takenChild(ctx, i, got)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", t.Pos, err)
	}
	return c, err
}

// bring brings the image into the store: from its registry, or out of its file. One that is
// reproduced comes from the release that has it.
func (b *Builder) bring(ctx context.Context, i product.Image, t product.PrebuiltImage) (taken, error) {
	switch {
	case t.File == nil:
		return b.takeReference(ctx, t)
	case b.bases.Shipped != nil:
		h, err := base.TakeShipped(b.store, b.bases.Shipped, b.bases.ShippedFile, t.Text, t.Platform)
		if err != nil {
			return taken{}, err
		}
		return b.inStore(h, t, nil)
	}
	key := archiveKey(t)
	if known, ok, err := b.recallArchive(t, key); err != nil || ok {
		return known, err
	}
	f, err := b.openTaken(ctx, t)
	if err != nil {
		return taken{}, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	img, err := f.Image(t.Platform)
	if err != nil {
		return taken{}, err
	}
	put, err := b.put(ctx, i, img)
	if err != nil {
		return taken{}, err
	}
	if key != "" && key == archiveKey(t) {
		a := remembered{put.Manifest.Digest, put.Referrers}
		if err := b.store.Record(kindRemembered, key, a); err != nil {
			return taken{}, err
		}
	}
	return b.inStore(put.Manifest.Digest, t, put.Referrers)
}

// inStore returns an image whose manifest and configuration the store has.
func (b *Builder) inStore(manifest v1.Hash, of product.PrebuiltImage, referrers []oci.Referrer) (taken, error) {
	d := v1.Descriptor{Digest: manifest}
	raw, err := b.store.Get(d)
	if err != nil {
		return taken{}, err
	}
	t := taken{from: of.Text, referrers: referrers}
	if t.manifest, err = oci.Parse(d, raw); err != nil {
		return taken{}, err
	}
	if t.config, err = t.manifest.ReadConfig(b.store.Get); err != nil {
		return taken{}, err
	}
	if of.File != nil {
		if err := b.bases.KeepFile(of.Text, t.manifest, b.store.Get); err != nil {
			return taken{}, err
		}
	}
	t.manifest.Desc.Size = int64(len(raw))
	t.manifest.Desc.Platform = platform.FromConfig(t.config).V1()
	return t, nil
}

// takenChild is the manifest as the lock has it, once its contents are noted.
func (b *Builder) takenChild(ctx context.Context, i product.Image, t taken) (child, error) {
	d := t.manifest.Desc
	p := platform.From(d.Platform)
	out := lock.Child{
		Platform: p, OSVersion: p.OSVersion, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		Config:   t.manifest.Config.Digest,
		Prebuilt: &lock.Taken{From: t.from, Builder: t.builder, Referrers: t.referrers},
	}
	if i.Version != b.product.Version {
		out.Prebuilt.Version = i.Version
	}
	for _, l := range t.manifest.Layers {
		out.LayerBytes += l.Size
	}
	notes, err := b.noteTaken(ctx, i, t)
	listed := v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Platform: d.Platform}
	return child{listed, out, notes}, err
}
