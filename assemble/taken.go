package assemble

import (
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/image/layer"
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
func (m *maker) take(ctx context.Context, i product.Image, t product.PrebuiltImage) (child, error) {
	got, err := m.bring(ctx, i, t)
	var c child
	if err == nil {
		c, err = m.takenChild(ctx, i, got)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", t.Pos, err)
	}
	return c, err
}

// bring brings the image into the store: from its registry, its file, or the release that is
// reproduced.
func (r *reader) bring(ctx context.Context, i product.Image, t product.PrebuiltImage) (taken, error) {
	switch {
	case t.File == nil:
		return r.takeReference(ctx, t)
	case r.bases.Shipped != nil:
		h, err := base.TakeShipped(r.Store, r.bases.Shipped, r.bases.ShippedFile, t.Text, t.Platform)
		if err != nil {
			return taken{}, err
		}
		return r.inStore(h, t, nil)
	}
	key := archiveKey(t)
	if known, ok, err := r.recallArchive(t, key); err != nil || ok {
		return known, err
	}
	f, err := r.openTaken(ctx, t)
	if err != nil {
		return taken{}, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	img, err := f.Image(t.Platform)
	if err != nil {
		return taken{}, err
	}
	put, err := r.put(ctx, i, img)
	if err != nil {
		return taken{}, err
	}
	if key != "" && key == archiveKey(t) {
		a := remembered{put.Manifest.Digest, put.Referrers}
		if err := r.Store.Record(kindRemembered, key, a); err != nil {
			return taken{}, err
		}
	}
	return r.inStore(put.Manifest.Digest, t, put.Referrers)
}

// inStore returns an image whose manifest and configuration the store has.
func (r *reader) inStore(manifest v1.Hash, of product.PrebuiltImage, referrers []oci.Referrer) (taken, error) {
	d := v1.Descriptor{Digest: manifest}
	raw, err := r.Store.Get(d)
	if err != nil {
		return taken{}, err
	}
	t := taken{from: of.Text, referrers: referrers}
	if t.manifest, err = oci.Parse(d, raw); err != nil {
		return taken{}, err
	}
	if t.config, err = t.manifest.ReadConfig(r.Store.Get); err != nil {
		return taken{}, err
	}
	if of.File != nil {
		if err := r.bases.KeepFile(of.Text, t.manifest, r.Store.Get); err != nil {
			return taken{}, err
		}
	}
	t.manifest.Desc.Size = int64(len(raw))
	t.manifest.Desc.Platform = platform.FromConfig(t.config).V1()
	return t, nil
}

// takenChild is the manifest as the lock has it, once its contents are noted.
func (m *maker) takenChild(ctx context.Context, i product.Image, t taken) (child, error) {
	d := t.manifest.Desc
	p := platform.From(d.Platform)
	out := lock.Child{
		Platform: p, OSVersion: p.OSVersion, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size,
		Config:   t.manifest.Config.Digest,
		Prebuilt: &lock.Taken{From: t.from, Builder: t.builder, Referrers: t.referrers},
	}
	if i.Version != m.Product.Version {
		out.Prebuilt.Version = i.Version
	}
	for _, l := range t.manifest.Layers {
		out.LayerBytes += l.Size
	}
	notes, err := m.noteTaken(ctx, i, t)
	listed := v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Platform: d.Platform}
	return child{listed, out, notes}, err
}

// remembered is what an archive has for a platform, so that no later run reads it, or unpacks it.
type remembered struct {
	Manifest  v1.Hash        `json:"manifest"`
	Referrers []oci.Referrer `json:"referrers,omitempty"`
}

// kindRemembered is the kind of records of remembered, by the file as nothing has touched it since.
const kindRemembered = "prebuilt archive"

// archiveKey is the key of that record; "" for a directory, and for an archive that cannot be
// looked at or was written just now.
func archiveKey(t product.PrebuiltImage) string {
	if t.File == nil || t.File.Transport == imagefile.OCI {
		return ""
	}
	key, _, rests, err := layer.Identity(t.File.Path)
	if err != nil || !rests { // whoever opens it says why
		return ""
	}
	return t.File.Text + " " + t.Platform.String() + " " + key
}

// recallArchive returns the image of an archive by the key of its record, if the store has all of
// it.
func (r *reader) recallArchive(t product.PrebuiltImage, key string) (known taken, ok bool, err error) {
	var a remembered
	if key == "" {
		return taken{}, false, nil
	}
	if ok, err = r.Store.Recall(kindRemembered, key, &a); err != nil || !ok {
		return taken{}, false, err
	}
	list := []v1.Hash{a.Manifest}
	for _, o := range a.Referrers {
		list = append(list, o.Digest)
	}
	for _, h := range list {
		if _, ok, err = r.Store.Tree(v1.Descriptor{Digest: h}); err != nil || !ok {
			return taken{}, false, err
		}
	}
	known, err = r.inStore(a.Manifest, t, a.Referrers)
	return known, err == nil, err
}
