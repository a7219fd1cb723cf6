package airgap

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// selected lists the images to push, and records in p their names, and the omitted images.
func (s *bundleSet) selected(o PushOptions, p *Pushed) ([]transfer.Image, error) {
	sel, err := newSelection(o.Platforms)
	if err != nil {
		return nil, err
	}
	var images, referrers []transfer.Image
	var sparse []string
	for _, i := range s.images {
		if i.Chart {
			continue // they follow
		}
		i = sel.choose(i)
		another := i.Floating && s.tagged(i)
		switch {
		case len(i.Included()) == 0 && another:
			continue // its other tags are enough
		case len(i.Included()) == 0:
			p.Omitted = append(p.Omitted,
				bundle.Omission{Name: i.Name, Reason: "it lacks all platforms selected"})
			continue
		}
		ref, err := retarget(i.Name, o.To)
		if err != nil {
			return nil, err
		}
		var as name.Reference = ref
		if i.Floating {
			s.addFloating(p, i, ref, i.Tree)
			as = ref.Digest(i.Digest().String())
		}
		if another {
			continue
		}
		if len(i.Missing()) > 0 {
			sparse = append(sparse, i.Name)
		}
		images = append(images, transfer.Image{Name: i.Name, Ref: as, Tree: i.Tree})
		referrers = append(referrers, referrersOf(i, ref)...)
		p.Images = append(p.Images,
			PushedImage{Name: i.Name, Target: as.Name(), Reference: ref.Context().Name() + "@" + i.Digest().String()})
	}
	if unused := sel.unused(); unused != "" {
		return nil, howto.Usage("-platforms %s: no image of the bundle has it: %s lists what there is",
			unused, howto.Run("airgap inspect"))
	}
	if len(sel) == 0 && len(sparse) > 0 {
		has := s.platforms()
		return nil, fmt.Errorf("the bundle has only %s of %s: "+
			"push the bundle for all platforms, which every registry accepts; "+
			"or, to a registry that accepts indexes without all their platforms, push this one with -platforms %s", has,
			strings.Join(sparse, ", "), has)
	}
	return append(images, referrers...), nil
}

// referrersOf lists the referrers of an image, to be pushed to the repository of its new name.
// Possible evidence of the release is required there.
func referrersOf(i bundle.Image, ref name.Tag) (all []transfer.Image) {
	for _, r := range i.Referrers {
		own := i.Listed == "" && transfer.IsEvidence(r.Referrer, r.Tree, i.Tree.Digests())
		all = append(all, transfer.Referrer(i.Name, transfer.ReferrerName(ref.Context(), r.Referrer), r.Tree, own)...)
	}
	return all
}

// selection is the platforms that are pushed; empty for all.
type selection []struct {
	text string
	os   string // an operating system with all its versions and architectures, or empty
	host platform.Platform
	used bool
}

func newSelection(values []string) (selection, error) {
	s := make(selection, len(values))
	for n, v := range values {
		s[n].text = v
		if v == platform.Linux || v == platform.Windows {
			s[n].os = v
			continue
		}
		var err error
		if s[n].host, err = platform.Parse(v); err != nil {
			return nil, howto.Usage("-platforms: %w", err)
		}
	}
	return s, nil
}

// choose returns the image with those of its included manifests that nodes of the selected
// platforms run. Nodes of a Windows build that the image lacks run it for an older build.
func (s selection) choose(i bundle.Image) bundle.Image {
	if len(s) == 0 || i.Chart {
		return i
	}
	var platforms []platform.Platform
	var at []int // of each platform in i.Manifests
	for n, m := range i.Manifests {
		if m.Presence == oci.Included && m.Platform.IsImage() {
			platforms, at = append(platforms, m.Platform), append(at, n)
		}
	}
	chosen := map[int]bool{}
	for n := range s {
		best := -1
		if s[n].os == "" {
			best = platform.Best(s[n].host, platforms)
		}
		for p := range platforms {
			if p == best || s[n].os == platforms[p].OS {
				chosen[at[p]], s[n].used = true, true
			}
		}
	}
	return i.Select(func(n int, _ bundle.Manifest) oci.Presence {
		if chosen[n] {
			return oci.Included
		}
		return oci.Absent
	})
}

// unused returns the first selected platform that no image has, or "".
func (s selection) unused() string {
	for _, p := range s {
		if !p.used {
			return p.text
		}
	}
	return ""
}

// retarget returns the name of an image below another registry[/prefix]: it replaces the host and
// keeps the path. Docker Hub's short names have the path library/NAME.
func retarget(tagged, to string) (name.Tag, error) {
	t, err := name.NewTag(tagged)
	if err != nil {
		return name.Tag{}, fmt.Errorf("%s: %w", tagged, err)
	}
	moved, err := name.NewTag(to + "/" + t.RepositoryStr() + ":" + t.TagStr())
	if err != nil {
		return name.Tag{}, fmt.Errorf("%s: %w", tagged, err)
	}
	return moved, nil
}

// rename renames the references of o.Release, which all must be to images of the bundles; it
// returns nil if no such file exists.
func rename(images []bundle.Image, o PushOptions) (*renaming.Release, error) {
	if o.Release == "" {
		return nil, nil
	}
	return newNames(images, o.To, func(_, ref string) error {
		return fmt.Errorf("%s is not in the bundle: push the bundle that belongs to this release, "+
			"or add the image to images.txt", ref)
	}).Read(o.Release, o.Out, o.To)
}

// newNames returns the names that images get below a registry.
func newNames(images []bundle.Image, to string, unknown func(repository, reference string) error) *renaming.Names {
	names := &renaming.Names{Unknown: unknown}
	for _, i := range images {
		if i.Chart {
			continue
		}
		t, err := name.NewTag(i.Name)
		if err != nil {
			continue // Open has checked it
		}
		var manifests []v1.Hash
		for _, m := range i.Included() {
			manifests = append(manifests, m.Desc.Digest)
		}
		names.Add(t, to+"/"+t.RepositoryStr(), i.Digest(), manifests...)
	}
	return names
}
