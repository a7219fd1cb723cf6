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
	if err := checkShards(parts); err != nil {
		return nil, fmt.Errorf("merging parts: %w", err)
	}
	out := *parts[0]
	out.Path = ""
	out.Images, out.ThirdParty, out.Artifacts, out.Prebuilt, out.Selected, out.Materials, out.Inventory = nil, nil, nil, nil, nil, nil, nil
	for _, p := range parts {
		if err := sameRelease(&out, p); err != nil {
			return nil, fmt.Errorf("merging parts: %w", err)
		}
		for _, i := range p.Images {
			if err := out.mergeImage(i); err != nil {
				return nil, fmt.Errorf("merging parts: %s: %w", i.Name, err)
			}
		}
		for _, t := range p.ThirdParty {
			if err := out.mergeThirdParty(t); err != nil {
				return nil, fmt.Errorf("merging parts: %s: %w", t.Reference, err)
			}
		}
		for _, a := range p.Artifacts {
			if err := out.mergeArtifact(a); err != nil {
				return nil, fmt.Errorf("merging parts: %s: %w", a.File, err)
			}
		}
		if err := out.mergePrebuilt(p.Prebuilt); err != nil {
			return nil, fmt.Errorf("merging parts: %w", err)
		}
		if p.Inventory != nil && out.Inventory == nil {
			out.Inventory = &Inventory{}
		}
		if err := out.Inventory.Add(p.Inventory); err != nil {
			return nil, fmt.Errorf("merging parts: %w", err)
		}
		if err := out.mergeMaterials(p); err != nil {
			return nil, fmt.Errorf("merging parts: %w", err)
		}
		out.Compilers = union(out.Compilers, p.Compilers)
		SortCompilers(out.Compilers)
		out.Selected = union(out.Selected, p.Selected)
	}
	return &out, nil
}

// mergeMaterials adds what another part was made from and with.
func (p *Part) mergeMaterials(o *Part) (err error) {
	if p.Go != o.Go && p.Go != "" && o.Go != "" && (p.Shard == nil || o.Shard == nil) {
		return fmt.Errorf("one was compiled by %s and another by %s: compile all of them by one version of Go", p.Go, o.Go)
	}
	p.Go = goVersions(p.Go, o.Go)
	p.Materials, err = SameMaterials(p.Materials, o.Materials)
	return err
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
	at := slices.IndexFunc(fields, func(f field) bool { return !reflect.DeepEqual(f.a, f.b) })
	if at < 0 {
		return field{}, false
	}
	return fields[at], true
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
	})
	if ok {
		return fmt.Errorf("they are of different releases: %s is %v in one and %v in another", f.name, f.a, f.b)
	}
	return nil
}

func (p *Part) mergeImage(i PartImage) error {
	at := slices.IndexFunc(p.Images, func(o PartImage) bool { return o.Name == i.Name })
	if at < 0 {
		i.Children = slices.Clone(i.Children)
		p.Images = append(p.Images, i)
		return nil
	}
	have := &p.Images[at]
	f, ok := differ([]field{
		{"kind", have.Kind, i.Kind},
		{"repository", have.Repository, i.Repository},
		{"copies", have.Copies, i.Copies},
		{"tags", have.Tags, i.Tags},
		{"platform tags", have.PlatformTags, i.PlatformTags},
		{"floating tags", have.FloatingTags, i.FloatingTags},
		{"media type", have.MediaType, i.MediaType},
		{"annotations", have.Annotations, i.Annotations},
	})
	if ok {
		return fmt.Errorf("its %s is %v in one part and %v in another", f.name, f.a, f.b)
	}
	if !i.MediaType.IsIndex() && !slices.EqualFunc(have.Children, i.Children, func(a, b Child) bool { return a.Digest == b.Digest }) {
		return fmt.Errorf("it has no index, so it can have one child only: %s or %s", have.Children[0].Digest, i.Children[0].Digest)
	}
	for _, c := range i.Children {
		k := slices.IndexFunc(have.Children, func(o Child) bool { return o.Platform == c.Platform })
		switch {
		case k < 0:
			have.Children = append(have.Children, c)
		case have.Children[k].Digest != c.Digest:
			return fmt.Errorf("%s is %s in one part and %s in another: build both from the same sources with the same slipway and Go", c.Platform, have.Children[k].Digest, c.Digest)
		case !reflect.DeepEqual(have.Children[k], c):
			return fmt.Errorf("the parts describe %s differently although its digest is the same", c.Platform)
		}
	}
	slices.SortStableFunc(have.Children, func(a, b Child) int { return platform.Compare(a.Platform, b.Platform) })
	return nil
}

func (p *Part) mergeThirdParty(t ThirdParty) error {
	at := slices.IndexFunc(p.ThirdParty, func(o ThirdParty) bool { return o.Reference == t.Reference })
	if at < 0 {
		p.ThirdParty = append(p.ThirdParty, t)
		return nil
	}
	switch have := &p.ThirdParty[at]; {
	case have.Omitted != "":
		*have = t
	case t.Omitted == "" && have.Digest != t.Digest:
		return fmt.Errorf("it is %s in one part and %s in another: pin it in images.txt with one of these digests", have.Digest, t.Digest)
	default:
		have.Fallbacks = union(have.Fallbacks, t.Fallbacks)
		// The image may have been signed between the parts.
		have.Referrers = union(have.Referrers, t.Referrers)
	}
	return nil
}

func (p *Part) mergeArtifact(a Artifact) error {
	at := slices.IndexFunc(p.Artifacts, func(o Artifact) bool { return o.File == a.File })
	switch {
	case at < 0:
		p.Artifacts = append(p.Artifacts, a)
	case p.Artifacts[at] != a:
		return fmt.Errorf("it is %s in one part and %s in another: build both from the same sources with the same slipway and Go", p.Artifacts[at].Digest, a.Digest)
	}
	return nil
}

// union returns a, followed by the elements of b that a lacks.
func union[T comparable](a, b []T) []T {
	a = slices.Clone(a)
	for _, e := range b {
		if !slices.Contains(a, e) {
			a = append(a, e)
		}
	}
	return a
}
