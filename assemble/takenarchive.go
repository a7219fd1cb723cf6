package assemble

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/product"
)

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
