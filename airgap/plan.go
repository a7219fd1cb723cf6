package airgap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// plan is one bundle before it is written: everything that decides its bytes.
type plan struct {
	bundle  product.Bundle
	created time.Time
	picks   []pick
	leftOut []LeftOut
	standIn bool
	volume  string
	delta   *Delta
	head    []v1.Descriptor // indexes, manifests and configurations, each once
	layers  []v1.Descriptor // each once
}

// pick is what a bundle takes of an item.
type pick struct {
	*item
	children []node
	// manifests that containerd reads on a node of the bundle's platform, and does not run
	bare []v1.Descriptor
	// fallback is the bundle's platform where the image has none for it, and a node of that
	// platform runs the child that is taken.
	fallback platform.Platform
}

// newPlans decides what is in each bundle. All that is wrong with the list is reported in one go.
// With partial, bundles need not have all images of l.
func newPlans(st *store.Store, l *lock.Lock, bundles []product.Bundle, first string, partial bool) ([]*plan, error) {
	items, absent, err := list(st, l)
	if err != nil {
		return nil, err
	}
	if n := slices.IndexFunc(items, func(i item) bool { return first != "" && (i.own == first || i.written == first) }); n > 0 {
		items = slices.Concat(items[n:n+1], items[:n], items[n+1:])
	}
	var plans []*plan
	carried := map[string]bool{}
	for _, b := range bundles {
		p := &plan{bundle: b, created: l.Created, leftOut: slices.Clone(absent)}
		for i := range items {
			it := &items[i]
			k, reason := it.choose(b.Platform)
			if reason != "" {
				p.leftOut = append(p.leftOut, LeftOut{it.name, reason})
				continue
			}
			carried[it.name] = true
			p.picks = append(p.picks, k)
		}
		p.addBare()
		if err := p.arrange(); err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	if partial {
		return slices.DeleteFunc(plans, func(p *plan) bool { return len(p.picks) == 0 }), nil
	}
	var errs []error
	for _, it := range items {
		if !carried[it.name] {
			errs = append(errs, fmt.Errorf("%s is in no bundle: it has %s; add a bundle for one of these or for all platforms, or take the image off the list", it.name, it.platforms()))
		}
	}
	for _, p := range plans {
		if len(p.picks) == 0 {
			errs = append(errs, fmt.Errorf("bundle %s would be empty: no image has %s", p.bundle.Name, p.bundle.Platform))
		}
	}
	return plans, errors.Join(errs...)
}

// list reads the images of the lock, the product's own first, and says which a snapshot lacks.
func list(st *store.Store, l *lock.Lock) (items []item, absent []LeftOut, err error) {
	var errs []error
	seen := map[string]bool{}
	add := func(it item, err error) {
		switch {
		case err != nil:
			errs = append(errs, err)
		case seen[it.name]:
			errs = append(errs, fmt.Errorf("%s is on the list twice: a name can stand for one image only", it.name))
		default:
			seen[it.name] = true
			items = append(items, it)
		}
	}
	for _, i := range l.Images {
		add(own(st, i))
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			absent = append(absent, LeftOut{t.Reference, t.Omitted})
			continue
		}
		add(foreign(st, t))
	}
	return items, absent, errors.Join(errs...)
}

// choose returns what a bundle for p takes of the item, all of it where p is zero, or the reason
// why it takes nothing. Of an image of the product it is the child for p; of another one, where
// there is none, the best that a node of p runs.
func (it *item) choose(p platform.Platform) (k pick, reason string) {
	if p.IsZero() {
		return pick{item: it, children: it.children}, ""
	}
	if it.lifecycle {
		return pick{}, "no node runs it: it travels in the bundle for all platforms"
	}
	var images []node
	var systems []platform.Platform
	for _, n := range it.children {
		if n.image {
			images, systems = append(images, n), append(systems, n.platform)
		}
	}
	// At most one manifest per system: a runtime takes the first that matches.
	best := platform.Best(p, systems)
	switch {
	case best >= 0 && platform.Same(systems[best], p):
		return pick{item: it, children: images[best : best+1]}, ""
	case best >= 0 && it.written != "":
		return pick{item: it, children: images[best : best+1], fallback: p}, ""
	}
	// The same for every bundle that leaves it out, so that they can be told together.
	return pick{}, fmt.Sprintf("is for %s only", it.platforms())
}

func (it *item) platforms() string {
	var s []string
	for _, n := range it.children {
		if n.image {
			s = append(s, n.platform.String())
		}
	}
	return strings.Join(s, ", ")
}

// arrange lists the blobs in the order of the archive, each once: indexes, manifests and
// configurations go into the head, layers behind it.
func (p *plan) arrange() error {
	seen := map[v1.Hash]bool{}
	once := func(list []v1.Descriptor, d v1.Descriptor) []v1.Descriptor {
		if seen[d.Digest] {
			return list
		}
		seen[d.Digest] = true
		return append(list, d)
	}
	for _, k := range p.picks {
		if k.index {
			p.head = once(p.head, k.desc)
		}
		for _, n := range k.children {
			p.head = once(once(p.head, n.desc), n.config)
			p.standIn = p.standIn || k.standIn[n.desc.Digest]
		}
		for _, d := range k.bare {
			p.head = once(p.head, d)
		}
	}
	for _, k := range p.picks {
		for _, a := range k.travels() {
			for _, d := range a.head {
				p.head = once(p.head, d)
			}
		}
	}
	var size int64
	for _, d := range p.head {
		if size += d.Size; d.Size > maxBlob || size > maxHead*3/4 || len(p.head) > maxEntries {
			return fmt.Errorf("bundle %s: manifests and configurations are larger than a reader accepts: make smaller bundles", p.bundle.Name)
		}
	}
	refs := 0
	for _, k := range p.picks {
		refs += len(k.item.children)
		for _, n := range k.children {
			refs += len(n.layers)
			for _, l := range n.layers {
				p.layers = once(p.layers, l)
			}
		}
	}
	for _, k := range p.picks { // last: no node needs them
		for _, a := range k.travels() {
			refs += 1 + len(a.layers)
			for _, l := range a.layers {
				p.layers = once(p.layers, l)
			}
		}
	}
	if refs > maxRefs || len(p.layers) > maxCount {
		return fmt.Errorf("bundle %s: its images have more layers than a reader accepts: make smaller bundles", p.bundle.Name)
	}
	return nil
}

// target is the platform that manifest.json lists: docker load fails as a whole on an image of
// another system.
func (p *plan) target() platform.Platform {
	if !p.bundle.Platform.IsZero() {
		return p.bundle.Platform
	}
	return platform.Platform{OS: platform.Linux, Architecture: "amd64"}
}

// images describes the bundle's images as [Inspect] finds them.
func (p *plan) images() []Image {
	var all []Image
	for _, k := range p.picks {
		here := map[v1.Hash]bool{}
		for _, n := range k.children {
			here[n.desc.Digest] = true
		}
		i := k.describe(func(n node) bool { return here[n.desc.Digest] })
		i.Fallback = k.fallback
		for _, a := range k.travels() {
			i.Referrers = append(i.Referrers, a.describe(i.Digest))
		}
		all = append(all, i)
	}
	share(all)
	return all
}

// size is how many bytes of the store the bundle holds.
func (p *plan) size() int64 {
	var n int64
	for _, d := range p.head {
		n += d.Size
	}
	for _, d := range p.layers {
		n += d.Size
	}
	return n
}
