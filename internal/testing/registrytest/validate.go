package registrytest

import (
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/lock"
)

// Validate pulls every image of a lock from its registry, by tag, and validates each layer of it.
func Validate(tb testing.TB, l *lock.Lock) {
	tb.Helper()
	for _, i := range l.Images {
		ref, err := name.ParseReference(i.Tagged())
		if err != nil {
			tb.Fatal(err)
		}
		d, err := remote.Get(ref)
		if err != nil {
			tb.Fatal(err)
		}
		if d.Digest != i.Digest {
			tb.Errorf("%s is %s, the lock says %s", ref, d.Digest, i.Digest)
		}
		if !d.MediaType.IsIndex() {
			img, err := d.Image()
			if err != nil {
				tb.Fatal(err)
			}
			if err := validate.Image(img); err != nil {
				tb.Errorf("%s: %v", ref, err)
			}
			continue
		}
		idx, err := d.ImageIndex()
		if err != nil {
			tb.Fatal(err)
		}
		if err := validate.Index(idx); err != nil {
			tb.Errorf("%s: %v", ref, err)
		}
	}
}
