package system

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// cacheEntry is one library of the cache.
type cacheEntry struct {
	name, path string
	flags      int
	hwcaps     string // the directory in glibc-hwcaps; empty for none
	isaLevel   uint64
}

// The format of the cache, as dl-cache.h of glibc 2.33 and later has it.
const (
	cacheMagic     = "glibc-ld.so.cache1.1"
	cacheHead      = 48
	cacheLine      = 24
	cacheExtension = 0xeaa42174 // the magic of the directory of extensions
	hwcapExtension = 1 << 62
	tagGenerator   = 0
	tagHwcaps      = 1
	endianLittle   = 2
	endianBig      = 3
)

// compareLibraries compares two names as the dynamic linker does: numbers in them by value.
func compareLibraries(a, b string) int {
	digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	value := func(s string) (int32, string) {
		var n int32
		for ; digit(s); s = s[1:] {
			n = n*10 + int32(s[0]-'0')
		}
		return n, s
	}
	for a != "" {
		switch {
		case digit(a) && digit(b):
			var v, w int32
			v, a = value(a)
			if w, b = value(b); v != w {
				return int(v - w)
			}
			continue
		case digit(a):
			return 1
		case digit(b):
			return -1
		case b == "":
			return int(a[0])
		case a[0] != b[0]:
			return int(int8(a[0])) - int(int8(b[0])) //nolint:gosec // char has a sign
		}
		a, b = a[1:], b[1:]
	}
	if b != "" {
		return -int(b[0])
	}
	return 0
}

// compareEntries is the order of the cache.
func compareEntries(a, b cacheEntry) int {
	return cmp.Or(
		compareLibraries(b.name, a.name),
		cmp.Compare(b.flags, a.flags),
		cmp.Compare(last(a.hwcaps), last(b.hwcaps)),
		strings.Compare(a.hwcaps, b.hwcaps),
	)
}

// last sorts entries without a directory of hwcaps behind those with one.
func last(hwcaps string) int {
	if hwcaps == "" {
		return 1
	}
	return 0
}

// stringTable returns the texts in one, in which one that ends another is a part of it, and where
// each is.
func stringTable(texts map[string]bool) (all []byte, at map[string]int) {
	list := slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
		for i := 1; i <= min(len(a), len(b)); i++ {
			if c, d := a[len(a)-i], b[len(b)-i]; c != d {
				return int(d) - int(c)
			}
		}
		return len(b) - len(a)
	})
	at = map[string]int{}
	previous, offset := "", 0
	for n, s := range list {
		switch {
		case n == 0:
		case strings.HasSuffix(previous, s):
			offset += len(previous) - len(s)
		default:
			offset += len(previous) + 1
		}
		at[s], previous = offset, s
		if end := offset + len(s) + 1; end > len(all) {
			all = append(append(all[:offset], s...), 0)
		}
	}
	return all, at
}

// cache returns the text of /etc/ld.so.cache.
func (k *linker) cache(entries []cacheEntry) ([]byte, error) {
	slices.SortStableFunc(entries, compareEntries)
	texts, used := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		texts[e.name], texts[e.path] = true, true
		if e.hwcaps != "" {
			texts[e.hwcaps], used[e.hwcaps] = true, true
		}
		if e.isaLevel > 1<<10-1 {
			return nil, fmt.Errorf("ldconfig: %s: its ISA level %d is too high", e.path, e.isaLevel)
		}
	}
	hwcaps := slices.Sorted(maps.Keys(used))
	table, at := stringTable(texts)
	base := cacheHead + cacheLine*len(entries)
	extensions := (base + len(table) + 3) &^ 3
	var b bytes.Buffer
	word := func(values ...int) {
		for _, v := range values {
			var w [4]byte
			k.order.PutUint32(w[:], uint32(v)) //nolint:gosec // offsets and flags
			b.Write(w[:])
		}
	}
	b.WriteString(cacheMagic)
	word(len(entries), len(table))
	endian := byte(endianLittle)
	if k.order == binary.ByteOrder(binary.BigEndian) {
		endian = endianBig
	}
	b.Write([]byte{endian, 0, 0, 0})
	word(extensions, 0, 0, 0)
	for _, e := range entries {
		word(e.flags, base+at[e.name], base+at[e.path], 0)
		var w [8]byte
		if e.hwcaps != "" {
			n, _ := slices.BinarySearch(hwcaps, e.hwcaps)
			k.order.PutUint64(w[:], hwcapExtension|e.isaLevel<<32|uint64(n)) //nolint:gosec // an index
		}
		b.Write(w[:])
	}
	b.Write(table)
	b.Write(make([]byte, extensions-b.Len()))
	k.extensions(word, extensions, hwcaps, func(name string) int { return base + at[name] })
	b.WriteString(k.generator)
	return b.Bytes(), nil
}

// extensions writes the directory of extensions, and the names of directories in glibc-hwcaps.
// The name of the program follows.
func (k *linker) extensions(word func(...int), offset int, hwcaps []string, at func(string) int) {
	const head, section = 8, 16
	count := 1
	generator := offset + head + section
	if len(hwcaps) > 0 {
		count = 2
		generator = offset + head + 2*section + 4*len(hwcaps)
	}
	word(cacheExtension, count)
	word(tagGenerator, 0, generator, len(k.generator))
	if len(hwcaps) > 0 {
		word(tagHwcaps, 0, offset+head+2*section, 4*len(hwcaps))
	}
	for _, h := range hwcaps {
		word(at(h))
	}
}
