package airgap

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/platform"
)

// manifestOnly decides which manifests a bundle for p includes without their configurations and
// layers. ctr images import reads every manifest of an index that its node could run, before
// containerd chooses the one that it runs, and fails if one is missing: of an index over Windows
// Server 2022 and 2025 a node of 2025 reads both
// (https://github.com/containerd/containerd/blob/v2.4.2/client/import.go). It never reads what the
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
