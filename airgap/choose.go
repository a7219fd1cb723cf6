package airgap

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// choose adds to c what a bundle for its platform and groups includes of the sources, and why it
// omits others.
func choose(c *bundle.Contents, t Target, sources []source) {
	chosen := map[*source]int{} // the manifest; -1 for all
	var included []*source
	for n := range sources {
		s := &sources[n]
		if s.Chart && !c.Platform.IsZero() {
			continue // nodes install no charts
		}
		if !t.takes(s.entry) {
			continue
		}
		at, reason := s.choose(c.Platform)
		if reason != "" && (s.entry.partial || s.Floating) {
			continue // its other tags are enough
		}
		if reason != "" {
			c.Omitted = append(c.Omitted, bundle.Omission{Name: s.Name, Reason: reason})
			continue
		}
		chosen[s] = at
		included = append(included, s)
	}
	only, key := manifestOnly(c.Platform, included, chosen), c.Platform.Key()
	for _, s := range included {
		i := s.Image
		if at := chosen[s]; at >= 0 {
			i = i.Select(func(_ int, m bundle.Manifest) oci.Presence {
				switch {
				case m.Desc.Digest == s.Manifests[at].Desc.Digest:
					return oci.Included
				case only(m):
					return oci.ManifestOnly
				}
				return oci.Absent
			})
			if s.Manifests[at].Key != key {
				i.Fallback = c.Platform
			}
		}
		for _, m := range i.Included() {
			c.StubBases = c.StubBases || s.entry.stub[m.Desc.Digest]
		}
		c.Images = append(c.Images, i)
	}
}

// choose returns the manifest that a bundle for p includes, -1 for all of them if p is zero, or
// the reason for none. Of an image of the product that is the manifest for p. A third-party image
// may lack it: the best manifest that nodes of p run replaces it. At most one is included, since
// a runtime runs the first that matches.
func (s *source) choose(p platform.Platform) (at int, reason string) {
	if p.IsZero() {
		return -1, ""
	}
	if s.entry.lifecycle {
		return 0, "no node runs it: it is in the bundle for all platforms"
	}
	if s.entry.os != nil && !slices.Contains(s.entry.os, p.OS) {
		return 0, fmt.Sprintf("only pods on %s name it", strings.Join(s.entry.os, " and "))
	}
	var numbers []int
	for n, m := range s.Manifests {
		if m.Runnable {
			numbers = append(numbers, n)
		}
	}
	platforms := s.platforms()
	best, fallback := platform.Choose(p, platforms)
	if best >= 0 && (s.Listed != "" || !fallback) {
		return numbers[best], ""
	}
	// the same text for every bundle that omits the image, so that a report has it once
	return 0, fmt.Sprintf("is for %s only", list(platforms))
}

func (s *source) platforms() (all []platform.Platform) {
	for _, m := range s.Manifests {
		if m.Runnable {
			all = append(all, m.Platform)
		}
	}
	return all
}

// manifestOnly decides which manifests a bundle for p includes without their configurations and
// layers. ctr images import reads every manifest of an index that its node could run, before
// containerd chooses among them, and fails if one is missing: of an index over Windows
// Server 2022 and 2025 a node of 2025 reads both
// (https://github.com/containerd/containerd/blob/v2.4.2/client/import.go), and never what the
// others list. To other readers the bundle does not have them.
//
// A manifest that is manifest-only in one image is so in every image that lists it, unless one
// includes it: its bytes are in the bundle, and readers take an unmarked manifest for included.
// Another index may list it without the version, so that containerd does not read it there.
func manifestOnly(p platform.Platform, sources []*source, chosen map[*source]int) func(bundle.Manifest) bool {
	reads := func(d v1.Descriptor) bool {
		return d.Platform == nil || platform.MayMatch(p, platform.From(d.Platform))
	}
	read, included := map[v1.Hash]bool{}, map[v1.Hash]bool{}
	for _, s := range sources {
		for n, m := range s.Manifests {
			read[m.Desc.Digest] = read[m.Desc.Digest] || reads(m.Desc)
			if n == chosen[s] {
				included[m.Desc.Digest] = true
			}
		}
	}
	return func(m bundle.Manifest) bool {
		return reads(m.Desc) || read[m.Desc.Digest] && !included[m.Desc.Digest]
	}
}
