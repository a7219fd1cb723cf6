package base

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// file returns a base that another builder left in a file. All of it is in the store then. A base
// of a release that is made again comes from there.
func (r *Resolver) file(ctx context.Context, f product.ImageFile, p platform.Platform) (b Base, err error) {
	var h v1.Hash
	if r.Shipped != nil {
		h, err = TakeShipped(r.Store, r.Shipped, r.ShippedFile, f.Text, p)
	} else {
		h, err = r.read(ctx, f, p)
	}
	if err != nil {
		return Base{}, err
	}
	img, err := r.Store.Image(h)
	if err != nil {
		return Base{}, err
	}
	m, err := oci.Read(v1.Descriptor{Digest: h}, r.Store.Get, oci.Limits{})
	if err != nil {
		return Base{}, err
	}
	if err := r.KeepFile(f.Text, m, r.Store.Get); err != nil {
		return Base{}, err
	}
	return ofImage(img, f.Text, h)
}

// read brings an image out of its file into the store.
func (r *Resolver) read(ctx context.Context, f product.ImageFile, p platform.Platform) (v1.Hash, error) {
	file, err := imagefile.Open(ctx, FileReference(f), r.Store)
	if err != nil {
		return v1.Hash{}, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	file.Progress = r.Progress
	i, err := file.Image(p)
	if err != nil {
		return v1.Hash{}, err
	}
	put, err := i.Put(ctx, r.Store)
	return put.Manifest.Digest, err
}

// FileReference returns the name of an image in a file as its reader has it.
func FileReference(f product.ImageFile) imagefile.Reference {
	return imagefile.Reference{Transport: f.Transport, Path: f.Path, Name: f.Name, Digest: f.Digest, Text: f.Text}
}

// KeepFile notes the documents of an image in a file, for [Resolver.Documents]: with them and the
// layers the release can be made again without the file.
func (r *Resolver) KeepFile(name string, manifest *oci.Tree, get oci.Get) error {
	config, err := get(*manifest.Config)
	if err != nil {
		return err
	}
	r.remembered(Document{File: name, Digest: manifest.Desc.Digest, Content: manifest.Raw})
	r.remembered(Document{File: name, Digest: manifest.Config.Digest, Content: config})
	return nil
}

// ShippedFile returns the digest of the manifest that a release which is made again took out of a
// file for a platform, by the text of slipway.yaml; false if it took none.
type ShippedFile func(text string, p platform.Platform) (v1.Hash, bool)

// TakeShipped brings into st an image that a release which is made again took out of a file: the
// file itself is on the machine that made it.
func TakeShipped(st *store.Store, open oci.Open, file ShippedFile, text string, p platform.Platform) (v1.Hash, error) {
	h, ok := file(text, p)
	if !ok {
		return h, fmt.Errorf("the release has no image for %s that was taken from %s", p, text)
	}
	raw, err := open.Get(v1.Descriptor{Digest: h})
	if err != nil {
		return h, notShipped(h, text, err)
	}
	m, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	if err != nil {
		return h, err
	}
	for _, d := range m.Blobs() {
		if st.HasAll(d.Digest, d.Size) {
			continue
		}
		from, err := open(d.Digest)
		if err == nil {
			err = errors.Join(st.Put(d.Digest, from), from.Close())
		}
		if err != nil {
			return h, notShipped(d.Digest, text, err)
		}
	}
	_, err = st.PutBytes(raw)
	return h, err
}

// notShipped is the error for a part of an image that is not in the release.
func notShipped(h v1.Hash, text string, err error) error {
	return fmt.Errorf("%s of %s, which was taken as it is: %w: name the directory that has the bundles of the release",
		h, text, err)
}
