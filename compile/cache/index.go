package cache

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The index is a sequence of numbers and digests; numbers are little-endian.
//
//	magic    "slipway build cache 1\n"
//	packs    uint32, then for each: digest 32, size of the blob 8, size unpacked 8, used 8
//	objects  uint32, then for each: digest 32, pack 4, offset in the unpacked pack 8, size 8
//	actions  uint32, then for each: digest 32, object 4, compiled 8
//
// Times are seconds and, of actions, nanoseconds since 1970. Objects are sorted by pack and
// offset and do not overlap, actions by digest.
const magic = "slipway build cache 1\n"

// Bounds on an index, far above what a product needs.
const (
	maxPacks   = 1 << 14
	maxObjects = 1 << 20
	maxIndex   = len(magic) + 12 + maxPacks*56 + maxObjects*(52+44)
	maxPack    = 1 << 32 // bytes of a pack, unpacked
)

// pack is a blob with objects.
type pack struct {
	digest  id
	size    int64 // of the blob
	raw     int64 // unpacked
	used    int64 // seconds
	objects []object
}

// object is a part of a pack.
type object struct {
	output id
	offset int64
	size   int64
}

func (o object) entry() entry { return entry{output: o.output, size: o.size} }

// link is the object of an action.
type link struct {
	output id
	size   int64
	pack   *pack
	time   int64
}

// index is what a repository has.
type index struct {
	packs   []*pack
	actions map[id]link
}

// encode returns the bytes of an index, the same for the same content.
func (x *index) encode() []byte {
	var b bytes.Buffer
	le := binary.LittleEndian
	number := func(n int64) { b.Write(le.AppendUint64(nil, uint64(n))) }
	count := func(n int) { b.Write(le.AppendUint32(nil, uint32(n))) }
	b.WriteString(magic)
	count(len(x.packs))
	objects := 0
	for _, p := range x.packs {
		b.Write(p.digest[:])
		number(p.size)
		number(p.raw)
		number(p.used)
		objects += len(p.objects)
	}
	count(objects)
	place := map[id]int{}
	for n, p := range x.packs {
		for _, o := range p.objects {
			place[o.output] = len(place)
			b.Write(o.output[:])
			count(n)
			number(o.offset)
			number(o.size)
		}
	}
	all := slices.SortedFunc(maps.Keys(x.actions), func(a, b id) int { return bytes.Compare(a[:], b[:]) })
	count(len(all))
	for _, a := range all {
		l := x.actions[a]
		b.Write(a[:])
		count(place[l.output])
		number(l.time)
	}
	return b.Bytes()
}

var errIndex = errors.New("the index of the build cache is damaged")

// scan reads the numbers of an index.
type scan struct {
	rest []byte
	bad  bool
}

func (s *scan) bytes(n int) []byte {
	if len(s.rest) < n {
		s.bad, s.rest = true, nil
		return make([]byte, n)
	}
	b := s.rest[:n]
	s.rest = s.rest[n:]
	return b
}

func (s *scan) id() id        { return id(s.bytes(32)) }
func (s *scan) number() int64 { return int64(binary.LittleEndian.Uint64(s.bytes(8))) }

// count reads how many elements of a size follow.
func (s *scan) count(most, size int) int {
	n := int(binary.LittleEndian.Uint32(s.bytes(4)))
	if n > most || n*size > len(s.rest) {
		s.bad = true
		return 0
	}
	return n
}

// decode reads an index.
func decode(text []byte) (*index, error) {
	s := &scan{rest: text}
	if string(s.bytes(len(magic))) != magic {
		return nil, fmt.Errorf("the index of the build cache does not begin with %q: name another repository", magic)
	}
	x := &index{actions: map[id]link{}}
	for range s.count(maxPacks, 56) {
		p := &pack{digest: s.id(), size: s.number(), raw: s.number(), used: s.number()}
		if p.size <= 0 || p.size > maxPack || p.raw < 0 || p.raw > maxPack {
			return nil, fmt.Errorf("%w: a pack has %d bytes, unpacked %d", errIndex, p.size, p.raw)
		}
		x.packs = append(x.packs, p)
	}
	places, err := x.objects(s)
	if err != nil {
		return nil, err
	}
	var last id
	for n := range s.count(maxObjects, 44) {
		a := s.id()
		at := int(binary.LittleEndian.Uint32(s.bytes(4)))
		if at >= len(places) || n > 0 && bytes.Compare(last[:], a[:]) >= 0 {
			return nil, fmt.Errorf("%w: an action is out of order, or has no object", errIndex)
		}
		l := places[at]
		l.time = s.number()
		x.actions[a], last = l, a
	}
	if s.bad || len(s.rest) > 0 {
		return nil, fmt.Errorf("%w: it has another length than it says", errIndex)
	}
	return x, nil
}

// objects reads the objects of the packs, and returns them in their order.
func (x *index) objects(s *scan) ([]link, error) {
	var places []link
	seen := map[id]bool{}
	pack, end := 0, int64(0)
	for range s.count(maxObjects, 52) {
		o := object{output: s.id()}
		at := int(binary.LittleEndian.Uint32(s.bytes(4)))
		o.offset, o.size = s.number(), s.number()
		if at > pack {
			pack, end = at, 0
		}
		if at >= len(x.packs) || at < pack || seen[o.output] || o.offset < end ||
			o.size < 0 || o.size > x.packs[at].raw || o.offset > x.packs[at].raw-o.size {
			return nil, fmt.Errorf("%w: an object is not in its pack, or out of order", errIndex)
		}
		end, seen[o.output] = o.offset+o.size, true
		p := x.packs[at]
		p.objects = append(p.objects, o)
		places = append(places, link{output: o.output, size: o.size, pack: p})
	}
	return places, nil
}

// add adds packs with their objects, and actions. What the index has already stays.
func (x *index) add(packs []pack, actions map[id]entry) {
	where := map[id]link{}
	place := func(p *pack) {
		for _, o := range p.objects {
			where[o.output] = link{output: o.output, size: o.size, pack: p}
		}
	}
	for _, p := range x.packs {
		place(p)
	}
	for _, p := range packs {
		if slices.ContainsFunc(x.packs, func(have *pack) bool { return have.digest == p.digest }) {
			continue
		}
		p.objects = slices.DeleteFunc(slices.Clone(p.objects), func(o object) bool {
			_, ok := where[o.output]
			return ok
		})
		place(&p)
		x.packs = append(x.packs, &p)
	}
	for a, e := range actions {
		if l, ok := where[e.output]; ok {
			if _, have := x.actions[a]; !have {
				l.time = e.time.UnixNano()
				x.actions[a] = l
			}
		}
	}
}

// advance is how far one run may move the clock of an index: far enough that what it uses is
// renewed.
const advance = 2 * renewed

// clock returns the time that a run adds to an index: now, or a little after the last use that the
// index has, if that is long ago. A machine whose clock is ahead would make all others' packs old.
func (x *index) clock(now time.Time) time.Time {
	if len(x.packs) == 0 {
		return now
	}
	last := slices.MaxFunc(x.packs, func(a, b *pack) int { return cmp.Compare(a.used, b.used) })
	if next := time.Unix(last.used, 0).Add(advance); next.Before(now) {
		return next
	}
	return now
}

// notAfter sets times of use that are still to come to now.
func (x *index) notAfter(now time.Time) {
	for _, p := range x.packs {
		p.used = min(p.used, now.Unix())
	}
}

// limit removes packs that were not used for an age, and then those that were not used for the
// longest time, until the blobs have at most size bytes together, and the index no more than can be
// read. Their objects and actions go with them.
func (x *index) limit(now time.Time, age time.Duration, size int64) {
	links := map[*pack]int{} // actions
	for _, l := range x.actions {
		links[l.pack]++
	}
	keep := map[*pack]bool{}
	var total int64
	objects, actions := 0, 0
	for n, p := range newest(x.packs) {
		objects, actions = objects+len(p.objects), actions+links[p]
		if total += p.size; total > size || n >= maxPacks || now.Sub(time.Unix(p.used, 0)) > age ||
			objects > maxObjects || actions > maxObjects {
			break
		}
		keep[p] = len(p.objects) > 0
	}
	x.packs = slices.DeleteFunc(x.packs, func(p *pack) bool { return !keep[p] })
	maps.DeleteFunc(x.actions, func(_ id, l link) bool { return !keep[l.pack] })
}

// newest returns packs sorted by their last use, the newest first.
func newest(packs []*pack) []*pack {
	return slices.SortedStableFunc(slices.Values(packs), func(a, b *pack) int { return cmp.Compare(b.used, a.used) })
}
