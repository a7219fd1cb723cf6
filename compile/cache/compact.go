package cache

import (
	"errors"
	"slices"
	"time"
)

// Each run that compiles something sends a pack, however small, and a reader makes a request for
// each pack. Small ones are merged when there are many.
const (
	smallPack = 4 << 20 // bytes of a blob that is small
	manySmall = 24      // how many small packs an index may have
	// mergeWithin is the part of the age rule by which the last uses of merged packs may differ.
	mergeWithin = 10
	mergeRead   = 64 << 20 // how many bytes of packs one run reads from the registry to merge them
)

// small returns groups of small packs to merge, if there are many. Those of a group were used
// last within some time of each other, so that old objects do not outlive their age in a fresh
// pack, and fit into one pack.
func (x *index) small(within time.Duration) (groups [][]*pack) {
	all := slices.DeleteFunc(newest(x.packs), func(p *pack) bool { return p.size >= smallPack })
	if len(all) <= manySmall {
		return nil
	}
	var group []*pack
	var raw int64
	for _, p := range all {
		if len(group) > 0 && (raw+p.raw > packSize || time.Duration(group[0].used-p.used)*time.Second > within) {
			groups, group, raw = append(groups, group), nil, 0
		}
		group, raw = append(group, p), raw+p.raw
	}
	groups = append(groups, group)
	return slices.DeleteFunc(groups, func(g []*pack) bool { return len(g) == 1 })
}

// replace puts a pack in the place of other packs, whose objects it has. The actions of objects
// that it does not have are removed.
func (x *index) replace(others []*pack, by *pack) {
	has := map[id]bool{}
	for _, o := range by.objects {
		has[o.output] = true
	}
	for _, p := range others {
		by.used = max(by.used, p.used)
	}
	for a, l := range x.actions {
		switch {
		case !slices.Contains(others, l.pack):
		case has[l.output]:
			l.pack = by
			x.actions[a] = l
		default:
			delete(x.actions, a)
		}
	}
	x.packs = slices.DeleteFunc(x.packs, func(p *pack) bool { return slices.Contains(others, p) })
	if len(by.objects) > 0 {
		x.packs = append(x.packs, by)
	}
}

// compact merges small packs of an index, and sends the merged ones; changed reports whether any
// were merged. Readers of an older index still find the packs that it lists, as long as the
// registry keeps blobs that nothing names.
func (r *remote) compact(x *index) (changed bool, err error) {
	left := int64(mergeRead)
	for _, group := range x.small(r.o.MaxAge / mergeWithin) {
		p, err := r.join(group, &left)
		if err != nil {
			return false, err
		}
		x.replace(group, p)
		if changed = true; left < 0 {
			break
		}
	}
	return changed, nil
}

// join makes one pack of several and sends it, after reading those that this disk lacks. The
// objects of a wrong one are omitted.
func (r *remote) join(packs []*pack, left *int64) (*pack, error) {
	var list []entry
	for _, p := range packs {
		lacks := slices.ContainsFunc(p.objects, func(o object) bool { return !r.cache.local.has(o.entry()) })
		if lacks {
			*left -= p.size
			if err := r.bring(p); err != nil && !errors.Is(err, errOther) {
				return nil, err
			}
		}
		for _, o := range p.objects {
			list = append(list, o.entry())
		}
	}
	p, blob, err := makePack(r.cache.local, list)
	if err != nil || len(p.objects) == 0 {
		return &p, err
	}
	return &p, r.upload(blob)
}
