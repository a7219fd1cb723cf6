package airgap

import (
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// kindLifecycle is the kind of images that no node runs.
const kindLifecycle = "lifecycle"

// source is an image of the lock as the store has it: all of it is included.
type source struct {
	bundle.Image

	own       string           // its name in the lock; empty for a third-party image
	lifecycle bool             // included in the bundle for all platforms only
	partial   bool             // under a tag for some of its platforms
	stub      map[v1.Hash]bool // manifests on stub bases
	os        []string         // that the bundles for which include it; nil for all
}

// readSources reads the images of the lock, the product's first, then the charts, and lists the
// images that a snapshot omits.
func readSources(st *store.Store, l *lock.Lock) (all []source, omitted []bundle.Omission, err error) {
	var errs []error
	seen := map[string]bool{}
	add := func(s source, err error) {
		switch {
		case err != nil:
			errs = append(errs, err)
		case seen[s.Name]:
			errs = append(errs, fmt.Errorf("%s is on the list twice: a name can stand for one image only", s.Name))
		default:
			seen[s.Name] = true
			all = append(all, s)
		}
	}
	for _, i := range l.Images {
		if i.Repository == "" || len(i.Tags) == 0 {
			errs = append(errs, fmt.Errorf("%s has no name in the lock: publish the images before packing them", i.Name))
		}
		about := i.Referrers
		for n, name := range i.Names() {
			i.Referrers = referrersFor(i, about, n, name.Desc.Digest)
			add(readName(st, i, name))
		}
	}
	for _, c := range l.ChartImages() {
		for n, name := range c.Names() {
			if n > 0 {
				c.Referrers = nil // as above
			}
			add(readChart(st, c, name))
		}
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			omitted = append(omitted, bundle.Omission{Name: t.Reference, Reason: t.Omitted})
			continue
		}
		add(readThirdParty(st, t))
	}
	return all, omitted, errors.Join(errs...)
}

// referrersFor returns those of all referrers of an image that its n-th name has: the first name
// has all but those of the indexes that other tags name, which these have.
func referrersFor(i lock.Image, all []oci.Referrer, n int, index v1.Hash) []oci.Referrer {
	own := func(h v1.Hash) bool { // of an index for some platforms
		return slices.ContainsFunc(i.PlatformTags, func(t lock.PlatformTag) bool { return t.Digest == h && t.MediaType.IsIndex() && h != i.Digest })
	}
	if n > 0 {
		if !own(index) {
			return nil
		}
		subjects := map[v1.Hash]bool{index: true}
		var about []oci.Referrer
		for _, r := range all {
			if subjects[r.Subject] {
				subjects[r.Digest] = true
				about = append(about, r)
			}
		}
		return about
	}
	subjects := []v1.Hash{i.Digest}
	for _, c := range i.Children {
		subjects = append(subjects, c.Digest)
	}
	return oci.ReferringTo(all, func(r oci.Referrer) oci.Referrer { return r }, i.Digest, subjects...)
}

// readName reads an image of the product under one of its names, and compares it with the lock.
func readName(st *store.Store, i lock.Image, name lock.Named) (source, error) {
	s := source{own: i.Name, lifecycle: i.Kind == kindLifecycle, partial: name.Desc.Digest != i.Digest, stub: map[v1.Hash]bool{}}
	var err error
	if s.Image, err = readImage(st, name.Reference, name.Desc, i.Referrers); err != nil {
		return s, fmt.Errorf("%s: %w", i.Name, err)
	}
	s.Floating = name.Floating
	want := children(i, name)
	if len(s.Manifests) != len(want) {
		return s, fmt.Errorf("%s: the lock names %d platforms, the index %s has %d: build the image again", i.Name, len(want), name.Desc.Digest, len(s.Manifests))
	}
	for n, c := range want {
		got := s.Manifests[n]
		if got.Desc.Digest != c.Digest || !platform.Same(got.Platform, c.Platform) || got.Platform.OSVersion != c.OSVersion {
			return s, fmt.Errorf("%s: the lock has %s as %s, the index has %s as %s: build the image again", i.Name, c.Digest, c.Platform, got.Desc.Digest, got.Platform)
		}
		s.stub[c.Digest] = len(c.Stubs()) > 0
	}
	return s, nil
}

// readChart reads a chart under one of its names.
func readChart(st *store.Store, i lock.Image, name lock.Named) (source, error) {
	s := source{}
	var err error
	if s.Image, err = readImage(st, name.Reference, name.Desc, i.Referrers); err != nil {
		return s, fmt.Errorf("chart %s: %w", i.Name, err)
	}
	s.Chart, s.Floating = true, name.Floating
	return s, nil
}

// readThirdParty reads a third-party image.
func readThirdParty(st *store.Store, t lock.ThirdParty) (source, error) {
	i, err := readImage(st, t.Reference, v1.Descriptor{MediaType: t.MediaType, Digest: t.Digest, Size: t.Size}, t.Referrers)
	if err != nil {
		return source{}, fmt.Errorf("%s: %w", t.Reference, err)
	}
	i.Listed = t.Reference
	return source{Image: i, os: t.OS}, nil
}

// readImage reads an image and its referrers from the store, and checks that their layers are
// there.
func readImage(st *store.Store, ref string, d v1.Descriptor, referrers []oci.Referrer) (bundle.Image, error) {
	name, err := bundle.Name(ref, d.Digest)
	if err != nil {
		return bundle.Image{}, err
	}
	r := &oci.Reader{Get: func(d v1.Descriptor) ([]byte, error) {
		if err := checkStored(st, d); err != nil {
			return nil, err
		}
		return st.Get(d)
	}}
	i, err := bundle.ReadImage(name, d, r)
	if err != nil {
		return i, err
	}
	for _, about := range referrers {
		full, err := bundle.ReadReferrer(about, d.Digest, r)
		if err != nil {
			return i, err
		}
		i.Referrers = append(i.Referrers, full)
	}
	c := bundle.Contents{Images: []bundle.Image{i}}
	for _, l := range c.AllLayers() {
		if err := checkStored(st, l); err != nil {
			return i, err
		}
	}
	return i, nil
}

// checkStored checks that a blob is in the store and has the size of its descriptor.
func checkStored(st *store.Store, d v1.Descriptor) error {
	switch stored, err := st.Check(d); {
	case err != nil:
		return err
	case !stored:
		return fmt.Errorf("%s (%s) is not in the store %s: build and publish again", d.Digest, d.MediaType, st.Dir())
	case d.Digest.Algorithm != "sha256":
		return fmt.Errorf("%s: a bundle has only sha256 digests", d.Digest)
	}
	return nil
}
