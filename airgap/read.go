package airgap

import (
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// source is an image of the lock as the store has it: all of it is included.
type source struct {
	bundle.Image

	entry entry
}

// reader reads images from a store.
type reader struct {
	st *store.Store
	// layersLater means that layers need not be in the store yet.
	layersLater bool
}

// missingError is about a blob that a store lacks.
type missingError struct{ error }

// refused is the error for an image that no bundle can include.
func (e entry) refused(err error) error {
	if e.listed == "" || errors.As(err, &missingError{}) {
		return fmt.Errorf("%s: %w", e.title, err)
	}
	at := ""
	if len(e.from) > 0 {
		at = e.from[0] + ": "
	}
	return fmt.Errorf("%s%s: %w: no bundle can include it; name another version of the image, or take it out "+
		"by a line !%s in images.txt", at, e.title, err, e.title)
}

// readSources reads the images of the entries, and lists those that a snapshot omits.
func readSources(from reader, entries []entry) (all []source, omitted []entry, err error) {
	var errs []error
	seen := map[string]bool{}
	for _, e := range entries {
		if e.omitted != "" {
			omitted = append(omitted, e)
			continue
		}
		if e.Reference == "" {
			errs = append(errs,
				fmt.Errorf("%s has no name in the lock: publish the images before packing them", e.title))
			continue
		}
		i, err := from.image(e.Named)
		if err == nil && e.product {
			err = e.compare(i.Manifests)
		}
		switch {
		case err != nil:
			errs = append(errs, e.refused(err))
		case seen[i.Name]:
			errs = append(errs, fmt.Errorf("%s is on the list twice: a name means one image only", i.Name))
		default:
			seen[i.Name] = true
			i.Chart, i.Listed, i.Floating = e.chart, e.listed, e.Floating
			all = append(all, source{i, e})
		}
	}
	return all, omitted, errors.Join(errs...)
}

// CheckThirdParty reports why no bundle can include a third-party image of a lock, by its
// documents, as [Check] does once a store has all of it. A manifest for which get returns
// [oci.ErrAbsent] is not checked.
func CheckThirdParty(t lock.ThirdParty, get oci.Get) error {
	e := thirdParty(t)
	i, err := readImage(e.Named, &oci.Reader{Get: get})
	if err == nil {
		err = checkDigests((&bundle.Contents{Images: []bundle.Image{i}}).AllLayers()...)
	}
	if err != nil {
		return e.refused(err)
	}
	return nil
}

func readImage(n lock.Named, r *oci.Reader) (bundle.Image, error) {
	name, err := imagename.Bundled(n.Reference, n.Desc.Digest)
	if err != nil {
		return bundle.Image{}, err
	}
	return bundle.ReadImage(name, n.Desc, r)
}

// image reads an image and its referrers, and checks their layers.
func (from reader) image(n lock.Named) (bundle.Image, error) {
	r := &oci.Reader{Get: func(d v1.Descriptor) ([]byte, error) {
		if err := from.check(d); err != nil {
			return nil, err
		}
		return from.st.Get(d)
	}}
	i, err := readImage(n, r)
	if err != nil {
		return i, err
	}
	for _, referrer := range n.Referrers {
		full, err := bundle.ReadReferrer(referrer, n.Desc.Digest, r)
		if err != nil {
			return i, err
		}
		i.Referrers = append(i.Referrers, full)
	}
	c := bundle.Contents{Images: []bundle.Image{i}}
	if from.layersLater {
		return i, checkDigests(c.AllLayers()...)
	}
	return i, from.check(c.AllLayers()...)
}

// check checks that blobs are in the store and have the sizes of their descriptors.
func (from reader) check(blobs ...v1.Descriptor) error {
	missing, err := from.st.Missing(blobs...)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		d := missing[0]
		return missingError{fmt.Errorf("%s (%s) is not in the store %s: build and publish again", d.Digest,
			d.MediaType, from.st.Dir())}
	}
	return checkDigests(blobs...)
}

func checkDigests(blobs ...v1.Descriptor) error {
	for _, d := range blobs {
		if d.Digest.Algorithm != "sha256" {
			return fmt.Errorf("%s: a bundle has only sha256 digests", d.Digest)
		}
	}
	return nil
}
