package lint

import (
	"slices"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// known is what rules know of images.
type known struct {
	Options

	images  lock.Catalog
	nodes   []platform.Platform // the platforms of the release
	missing map[string]bool     // references that their registry does not have
	named   map[string]bool     // images that the manifests name
	release bool                // the manifests are all of a release
	sources bool                // there is a lock, or registries are asked
}

func newKnown(o Options) *known {
	k := &known{
		Options: o, missing: map[string]bool{}, named: map[string]bool{},
		release: o.Product != nil, sources: o.Lock != nil || o.Remote != nil,
	}
	if o.Lock == nil {
		return k
	}
	k.images = o.Lock.Catalog()
	for _, i := range k.images {
		if i.Product {
			k.nodes = append(k.nodes, i.Platforms...)
		}
	}
	platform.Sort(k.nodes)
	k.nodes = slices.CompactFunc(k.nodes, platform.Same)
	return k
}
