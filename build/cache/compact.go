package cache

import (
	"cmp"
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

// small returns groups of small packs to merge, by their numbers, if there are many. Those of a
// group were used last within some time of each other, so that old objects do not outlive their
// age in a fresh pack, and fit into one pack.
func (x *index) small(within time.Duration) (groups [][]int) {
	var all []int
	for n, p := range x.packs {
		if p.size < smallPack {
			all = append(all, n)
		}
	}
	if len(all) <= manySmall {
		return nil
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(x.packs[b].used, x.packs[a].used) })
	var group []int
	var raw int64
	for _, n := range all {
		p := x.packs[n]
		if len(group) > 0 && (raw+p.raw > packSize || time.Duration(x.packs[group[0]].used-p.used)*time.Second > within) {
			groups, group, raw = append(groups, group), nil, 0
		}
		group, raw = append(group, n), raw+p.raw
	}
	groups = append(groups, group)
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 1 })
}

// replace puts a pack in the place of other packs, whose objects it has. The actions of objects
// that it does not have are removed.
func (x *index) replace(others []int, by pack) {
	moved := make([]int, len(x.packs))
	var kept []pack
	for n, p := range x.packs {
		if slices.Contains(others, n) {
			moved[n] = -1
			by.used = max(by.used, p.used)
			continue
		}
		moved[n] = len(kept)
		kept = append(kept, p)
	}
	has := map[id]bool{}
	for _, o := range by.objects {
		has[o.output] = true
	}
	for a, l := range x.actions {
		switch to := moved[l.pack]; {
		case to >= 0:
			l.pack = to
		case has[l.output]:
			l.pack = len(kept)
		default:
			delete(x.actions, a)
			continue
		}
		x.actions[a] = l
	}
	if len(by.objects) > 0 {
		kept = append(kept, by)
	}
	x.packs = kept
}

// compact merges small packs of an index, and sends the merged ones. It reports whether it has
// merged any. Whoever has an older index still finds the packs that it lists, as long as the
// registry keeps blobs that nothing names.
func (r *remote) compact(x *index) (bool, error) {
	groups := x.small(r.o.MaxAge / mergeWithin)
	var merged []pack
	left := int64(mergeRead)
	for n, g := range groups {
		p, err := r.join(x, g, &left)
		if err != nil {
			return false, err
		}
		if merged = append(merged, p); left < 0 {
			groups = groups[:n+1]
			break
		}
	}
	digests := make([][]id, len(groups)) // numbers change
	for n, g := range groups {
		for _, at := range g {
			digests[n] = append(digests[n], x.packs[at].digest)
		}
	}
	for n, p := range merged {
		var others []int
		for at, have := range x.packs {
			if slices.Contains(digests[n], have.digest) {
				others = append(others, at)
			}
		}
		x.replace(others, p)
	}
	return len(merged) > 0, nil
}

// join makes one pack of several and sends it. It reads those that this disk lacks. What a wrong
// one has is not in it.
func (r *remote) join(x *index, packs []int, left *int64) (pack, error) {
	var list []entry
	for _, n := range packs {
		p := x.packs[n]
		lacks := slices.ContainsFunc(p.objects, func(o object) bool { return !r.cache.local.has(entry{output: o.output, size: o.size}) })
		if lacks {
			*left -= p.size
			if err := r.bring(p); err != nil && !errors.Is(err, errOther) {
				return pack{}, err
			}
		}
		for _, o := range p.objects {
			list = append(list, entry{output: o.output, size: o.size})
		}
	}
	p, blob, err := makePack(r.cache.local, list)
	if err != nil || len(p.objects) == 0 {
		return p, err
	}
	return p, r.upload(blob, packType)
}
