package lock

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// Merge joins locks of one release that were made for different platforms or images. They must
// agree on name, version, registry, sources, and on the digest of everything that stands in
// several of them. Images and third-party images keep the order in which they first stand in a
// lock; an image's children are sorted. An image whose children come from several locks gets a
// zero Digest and Size, because the index over them does not exist yet: publish.Merge makes it.
// Partial names all that was selected.
func Merge(locks ...*Lock) (*Lock, error) {
	if len(locks) == 0 {
		return nil, errors.New("merging locks: there is none: name the release.lock.json of each part")
	}
	out := *locks[0]
	out.Images, out.ThirdParty, out.Artifacts, out.Partial = nil, nil, nil, nil
	for _, l := range locks {
		if err := sameRelease(&out, l); err != nil {
			return nil, fmt.Errorf("merging locks: %w", err)
		}
		for _, i := range l.Images {
			if err := out.mergeImage(i); err != nil {
				return nil, fmt.Errorf("merging locks: %s: %w", i.Name, err)
			}
		}
		for _, t := range l.ThirdParty {
			if err := out.mergeThirdParty(t); err != nil {
				return nil, fmt.Errorf("merging locks: %s: %w", t.Reference, err)
			}
		}
		for _, a := range l.Artifacts {
			if err := out.mergeArtifact(a); err != nil {
				return nil, fmt.Errorf("merging locks: %s: %w", a.File, err)
			}
		}
		for _, p := range l.Partial {
			if !slices.Contains(out.Partial, p) {
				out.Partial = append(out.Partial, p)
			}
		}
	}
	return &out, nil
}

// sameRelease holds two locks to one release.
func sameRelease(a, b *Lock) error {
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"schemaVersion", a.SchemaVersion, b.SchemaVersion},
		{"name", a.Name, b.Name},
		{"version", a.Version, b.Version},
		{"registry", a.Registry, b.Registry},
		{"snapshot", a.Snapshot, b.Snapshot},
		{"created", a.Created.UTC(), b.Created.UTC()},
		{"sources", a.Sources, b.Sources},
	} {
		if !reflect.DeepEqual(f.a, f.b) {
			return fmt.Errorf("they are of different releases: %s is %v in one and %v in another", f.name, f.a, f.b)
		}
	}
	return nil
}

func (l *Lock) mergeImage(i Image) error {
	at := slices.IndexFunc(l.Images, func(o Image) bool { return o.Name == i.Name })
	if at < 0 {
		i.Children = slices.Clone(i.Children)
		l.Images = append(l.Images, i)
		return nil
	}
	have := &l.Images[at]
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"kind", have.Kind, i.Kind},
		{"repository", have.Repository, i.Repository},
		{"tag", have.Tag, i.Tag},
		{"media type", have.MediaType, i.MediaType},
		{"annotations", have.Annotations, i.Annotations},
		{"referrers", have.Referrers, i.Referrers},
	} {
		if !reflect.DeepEqual(f.a, f.b) {
			return fmt.Errorf("its %s is %v in one lock and %v in another", f.name, f.a, f.b)
		}
	}
	for _, c := range i.Children {
		k := slices.IndexFunc(have.Children, func(o Child) bool { return o.Platform == c.Platform })
		switch {
		case k < 0:
			have.Children = append(have.Children, c)
		case have.Children[k].Digest != c.Digest:
			return fmt.Errorf("%s is %s in one lock and %s in another: build both from the same sources with the same slipway and Go", c.Platform, have.Children[k].Digest, c.Digest)
		case !reflect.DeepEqual(have.Children[k], c):
			return fmt.Errorf("the locks describe %s differently although its digest is the same", c.Platform)
		}
	}
	if have.Digest != i.Digest {
		if !i.MediaType.IsIndex() {
			return fmt.Errorf("it has no index, so it can have one child only: %s or %s", have.Digest, i.Digest)
		}
		have.Digest, have.Size = v1.Hash{}, 0
	}
	have.sort()
	return nil
}

// sort puts children into the order of an index.
func (i *Image) sort() {
	slices.SortStableFunc(i.Children, func(a, b Child) int { return platform.Compare(a.Platform, b.Platform) })
}

func (l *Lock) mergeThirdParty(t ThirdParty) error {
	at := slices.IndexFunc(l.ThirdParty, func(o ThirdParty) bool { return o.Reference == t.Reference })
	if at < 0 {
		l.ThirdParty = append(l.ThirdParty, t)
		return nil
	}
	switch have := &l.ThirdParty[at]; {
	case have.LeftOut != "":
		*have = t
	case t.LeftOut == "" && have.Digest != t.Digest:
		return fmt.Errorf("it is %s in one lock and %s in another: pin it in images.txt with one of these digests", have.Digest, t.Digest)
	default:
		have.Fallbacks = union(have.Fallbacks, t.Fallbacks)
		// somebody may have signed it between the parts
		have.Referrers = union(have.Referrers, t.Referrers)
	}
	return nil
}

func (l *Lock) mergeArtifact(a Artifact) error {
	at := slices.IndexFunc(l.Artifacts, func(o Artifact) bool { return o.File == a.File })
	switch {
	case at < 0:
		l.Artifacts = append(l.Artifacts, a)
	case l.Artifacts[at] != a:
		return fmt.Errorf("it is %s in one lock and %s in another: build both from the same sources with the same slipway and Go", l.Artifacts[at].Digest, a.Digest)
	}
	return nil
}

// union appends to a what b has more.
func union[T comparable](a, b []T) []T {
	a = slices.Clone(a)
	for _, e := range b {
		if !slices.Contains(a, e) {
			a = append(a, e)
		}
	}
	return a
}
