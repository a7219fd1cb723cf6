package oci

import (
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/outcome"
)

// Get returns the bytes of the document or configuration that d describes, compared with
// d.Digest. If a source omits a document on purpose, the error wraps [ErrAbsent].
type Get func(d v1.Descriptor) ([]byte, error)

// ErrAbsent is the error of a [Get] for what its source leaves out on purpose.
var ErrAbsent = outcome.ErrAbsent

// Reader reads trees within one budget.
type Reader struct {
	// Get gives the documents.
	Get Get
	// ManifestOnly reports whether a child of an index is at hand without its configuration and
	// layers; nil means that none is. Such a document must not be absent.
	ManifestOnly func(d v1.Descriptor) bool
	Limits       Limits

	references int
	bytes      int64
}

// Read reads the tree below d, whose documents get gives, within limits.
func Read(d v1.Descriptor, get Get, limits Limits) (*Tree, error) {
	return (&Reader{Get: get, Limits: limits}).Read(d)
}

// Read reads the tree below d. A child that Get answers with [ErrAbsent] is in the tree as
// [Absent]; for d itself that is an error.
func (r *Reader) Read(d v1.Descriptor) (*Tree, error) {
	one := reading{Reader: r, limits: r.Limits.defaults()}
	return one.read(d, one.limits.Depth)
}

// reading is one tree on its way.
type reading struct {
	*Reader
	limits            Limits
	manifests, layers int
}

func (r *reading) read(d v1.Descriptor, depth int) (*Tree, error) {
	raw, err := r.get(d)
	if err != nil {
		return nil, err
	}
	t, err := Parse(d, raw)
	if err != nil {
		return nil, err
	}
	if err := r.count(t); err != nil {
		return nil, err
	}
	if t.Desc.MediaType.IsIndex() && depth == 0 {
		return nil, fmt.Errorf("index %s is nested too deeply, %d below the requested one: name it by its "+
			"digest", d.Digest, r.limits.Depth)
	}
	for n, c := range t.Children {
		if t.Children[n], err = r.child(c.Desc, depth-1); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (r *reading) child(d v1.Descriptor, depth int) (*Tree, error) {
	if r.ManifestOnly != nil && r.ManifestOnly(d) {
		raw, err := r.get(d)
		if errors.Is(err, ErrAbsent) { // not wrapped, or the index above would be absent, too
			err = fmt.Errorf("manifest %s is not included", d.Digest)
		}
		return &Tree{Desc: d, Presence: ManifestOnly, Raw: raw}, err
	}
	t, err := r.read(d, depth)
	if errors.Is(err, ErrAbsent) {
		return &Tree{Desc: d, Presence: Absent}, nil
	}
	return t, err
}

// get gets a document and counts its bytes.
func (r *reading) get(d v1.Descriptor) ([]byte, error) {
	if d.Size > MaxManifest {
		return nil, TooLarge("manifest", d, MaxManifest)
	}
	raw, err := r.Get(d)
	if err != nil {
		return nil, err
	}
	if err := checkSize("manifest", d, raw); err != nil {
		return nil, err
	}
	if r.bytes += int64(len(raw)); r.bytes > r.limits.Bytes {
		return nil, fmt.Errorf("manifest %s: documents have more than %d MiB, counting each as often as it is listed",
			d.Digest, r.limits.Bytes>>20)
	}
	return raw, nil
}

// count counts what a document lists. Children are counted before they are read, also those that
// are absent.
func (r *reading) count(t *Tree) error {
	if r.manifests == 0 {
		r.manifests, r.references = 1, r.references+1
	}
	r.manifests += len(t.Children)
	r.layers += len(t.Layers)
	r.references += len(t.Children) + len(t.Layers)
	switch {
	case r.manifests > r.limits.Manifests:
		return fmt.Errorf("index %s lists more than %d manifests", t.Desc.Digest, r.limits.Manifests)
	case r.layers > r.limits.Layers:
		return fmt.Errorf("manifest %s: more than %d layers", t.Desc.Digest, r.limits.Layers)
	case r.references > r.limits.References:
		return fmt.Errorf("manifest %s: images list manifests and layers more than %d times", t.Desc.Digest,
			r.limits.References)
	}
	return nil
}
