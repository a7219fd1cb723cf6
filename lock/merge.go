package lock

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// Merge joins parts of one release that were made for different platforms or images. Parts must
// agree on name, version, registries and sources, and on the digest of everything that several of
// them have. Images and third-party images keep the order in which they first occur. The
// children of an image are sorted. Selected is the union of the parts' Selected.
func Merge(parts ...*Part) (*Part, error) {
	if len(parts) == 0 {
		return nil, errors.New("merging parts: there is none: name the " + PartName + " of each part")
	}
	out := &Part{PartVersion: parts[0].PartVersion, Shard: parts[0].Shard, Release: parts[0].Release}
	err := checkShards(parts)
	for n := 0; n < len(parts) && err == nil; n++ {
		err = out.add(parts[n])
	}
	if err != nil {
		return nil, fmt.Errorf("merging parts: %w", err)
	}
	SortCompilers(out.Compilers)
	SortPrebuilt(out.Prebuilt)
	return out, nil
}

// add adds what another part of the release has.
func (p *Part) add(o *Part) error {
	if err := sameRelease(p, o); err != nil {
		return err
	}
	if err := addAll(&p.Images, o.Images, PartImage.same, (*PartImage).join); err != nil {
		return err
	}
	if err := addAll(&p.ThirdParty, o.ThirdParty, ThirdParty.same, (*ThirdParty).join); err != nil {
		return err
	}
	if err := addAll(&p.Artifacts, o.Artifacts, Artifact.same, (*Artifact).join); err != nil {
		return err
	}
	if err := addAll(&p.Prebuilt, o.Prebuilt, Prebuilt.Same, (*Prebuilt).join); err != nil {
		return err
	}
	if o.Inventory != nil && p.Inventory == nil {
		p.Inventory = &Inventory{}
	}
	if err := p.Inventory.Add(o.Inventory); err != nil {
		return err
	}
	if p.Go != o.Go && p.Go != "" && o.Go != "" && (p.Shard == nil || o.Shard == nil) {
		return fmt.Errorf("one was compiled by %s and another by %s: compile all of them by one version of Go",
			p.Go, o.Go)
	}
	p.Go = goVersions(p.Go, o.Go)
	p.Compilers, p.Selected = Union(p.Compilers, o.Compilers), Union(p.Selected, o.Selected)
	var err error
	p.Materials, err = SameMaterials(p.Materials, o.Materials)
	return err
}

// addAll adds elements to a list. An element that the list has already is joined with that.
func addAll[E any](to *[]E, list []E, same func(a, b E) bool, join func(have *E, e E) error) error {
	for _, e := range list {
		n := slices.IndexFunc(*to, func(have E) bool { return same(have, e) })
		if n < 0 {
			*to = append(*to, e)
		} else if err := join(&(*to)[n], e); err != nil {
			return err
		}
	}
	return nil
}

// goVersions joins the versions of Go of two parts. Shards may have different ones, as their plan
// has them.
func goVersions(a, b string) string {
	all := append(strings.Split(a, GoSeparator), strings.Split(b, GoSeparator)...)
	slices.Sort(all)
	return strings.TrimPrefix(strings.Join(slices.Compact(all), GoSeparator), GoSeparator)
}

// field is a value that two parts must agree on.
type field struct {
	name string
	a, b any
}

// differ returns the first field whose values are not equal.
func differ(fields []field) (field, bool) {
	return first(fields, func(f field) bool { return !reflect.DeepEqual(f.a, f.b) })
}

// sameRelease returns an error with the first field that differs if two parts are of different
// releases.
func sameRelease(a, b *Part) error {
	f, ok := differ([]field{
		{"partVersion", a.PartVersion, b.PartVersion},
		{"name", a.Name, b.Name},
		{"version", a.Version, b.Version},
		{"channel", a.Channel, b.Channel},
		{"registry", a.Registry, b.Registry},
		{"copies", a.Copies, b.Copies},
		{"snapshot", a.Snapshot, b.Snapshot},
		{"created", a.Created.UTC(), b.Created.UTC()},
		{"sources", a.Sources, b.Sources},
		{"groups", a.Groups, b.Groups},
	})
	if ok {
		return fmt.Errorf("they are of different releases: %s is %v in one and %v in another", f.name, f.a, f.b)
	}
	return nil
}

func (i PartImage) same(o PartImage) bool { return i.Name == o.Name }

// join adds the children of the image in another part.
func (i *PartImage) join(o PartImage) error {
	f, ok := differ([]field{
		{"kind", i.Kind, o.Kind},
		{"repository", i.Repository, o.Repository},
		{"copies", i.Copies, o.Copies},
		{"tags", i.Tags, o.Tags},
		{"platform tags", i.PlatformTags, o.PlatformTags},
		{"floating tags", i.FloatingTags, o.FloatingTags},
		{"media type", i.MediaType, o.MediaType},
		{"annotations", i.Annotations, o.Annotations},
		{"groups", i.Groups, o.Groups},
	})
	if ok {
		return fmt.Errorf("%s: its %s is %v in one part and %v in another", i.Name, f.name, f.a, f.b)
	}
	if !i.MediaType.IsIndex() && !slices.EqualFunc(i.Children, o.Children, func(a, b Child) bool {
		return a.Digest == b.Digest
	}) {
		return fmt.Errorf("%s: it has no index, so it can have one child only: %s or %s", i.Name,
			i.Children[0].Digest, o.Children[0].Digest)
	}
	i.Children = slices.Clone(i.Children)
	if err := addAll(&i.Children, o.Children, Child.same, (*Child).join); err != nil {
		return fmt.Errorf("%s: %w", i.Name, err)
	}
	slices.SortStableFunc(i.Children, func(a, b Child) int { return platform.Compare(a.Platform, b.Platform) })
	return nil
}

func (c Child) same(o Child) bool { return c.Platform == o.Platform }

func (c *Child) join(o Child) error {
	switch {
	case c.Digest != o.Digest && c.Prebuilt != nil && o.Prebuilt != nil:
		return fmt.Errorf("%s is %s in one part, taken from %s, and %s in another, from %s: make both from one image",
			c.Platform, c.Digest, c.Prebuilt.From, o.Digest, o.Prebuilt.From)
	case c.Digest != o.Digest:
		return fmt.Errorf("%s is %s in one part and %s in another: %s", c.Platform, c.Digest, o.Digest, buildBoth)
	case !reflect.DeepEqual(*c, o):
		return fmt.Errorf("the parts describe %s differently although its digest is the same", c.Platform)
	}
	return nil
}

func (t ThirdParty) same(o ThirdParty) bool { return t.Reference == o.Reference }

func (t *ThirdParty) join(o ThirdParty) error {
	switch {
	case t.Omitted != "":
		*t = o
	case o.Omitted == "" && t.Digest != o.Digest:
		return fmt.Errorf("%s: it is %s in one part and %s in another: pin it in images.txt with one of these digests",
			t.Reference, t.Digest, o.Digest)
	default:
		t.Fallbacks = Union(t.Fallbacks, o.Fallbacks)
		// The image may have been signed between the parts.
		t.Referrers = Union(t.Referrers, o.Referrers)
	}
	return nil
}

const buildBoth = "build both from the same sources with the same slipway and Go"

func (a Artifact) same(o Artifact) bool { return a.File == o.File }

func (a *Artifact) join(o Artifact) error {
	if *a != o {
		return fmt.Errorf("%s: it is %s in one part and %s in another: %s", a.File, a.Digest, o.Digest, buildBoth)
	}
	return nil
}

func (p *Prebuilt) join(o Prebuilt) error {
	if *p != o {
		return fmt.Errorf("program %s for %s is %s in one part and %s in another: build both with the same file",
			p.Name, p.Platform, p.Digest, o.Digest)
	}
	return nil
}

// Union returns a, followed by the elements of b that a lacks.
func Union[T comparable](a, b []T) []T {
	a = slices.Clone(a)
	for _, e := range b {
		if !slices.Contains(a, e) {
			a = append(a, e)
		}
	}
	return a
}
