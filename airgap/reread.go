package airgap

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
)

// reread is the plan that a bundle was packed by, and the lock, as far as bundles show it. A
// delta gives the plan of the bundle that it stands for.
func (b *Bundle) reread() (*plan, *lock.Lock, error) {
	c := b.contents
	l := &lock.Lock{Name: c.Product, Version: c.Version, Created: c.Created, Snapshot: c.Snapshot}
	p := &plan{created: c.Created, leftOut: c.LeftOut, standIn: c.StandIn, volume: c.Volume}
	p.bundle.Platform = c.Platform
	r := &reading{head: b.head, contents: c, used: map[v1.Hash]bool{}}
	picks := map[string]int{}
	for _, d := range b.head.index.Manifests {
		if d.Annotations[annotationSubject] != "" {
			at, ok := picks[d.Annotations[annotationSubjects]]
			if !ok {
				return nil, nil, fmt.Errorf("%s refers to no image", d.Digest)
			}
			a, err := r.attachment(d)
			if err != nil {
				return nil, nil, err
			}
			p.picks[at].attached = append(p.picks[at].attached, a)
			continue
		}
		it, err := b.head.item(d, r.get)
		if err != nil {
			return nil, nil, err
		}
		it.written = d.Annotations[annotationReference]
		k := pick{item: it}
		if d.Annotations[annotationFallback] != "" { // the bundle's own, as was checked
			k.fallback = c.Platform
		}
		for _, n := range it.children {
			switch {
			case n.bare:
				k.bare = append(k.bare, n.desc)
			case !n.absent:
				k.children = append(k.children, n)
			}
		}
		picks[it.name] = len(p.picks)
		p.picks = append(p.picks, k)
	}
	return p, l, p.arrange()
}
