package forge

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// entry is a member of a tar: the blocks of its header as they are, and its content.
type entry struct {
	name   string
	header []byte
	data   []byte
}

// bytes are the entry as it is in a tar.
func (e entry) bytes() []byte {
	b := append(bytes.Clone(e.header), e.data...)
	return append(b, make([]byte, (512-len(e.data)%512)%512)...)
}

// archive is the tar in a bundle.
type archive struct {
	w       *world
	head    int // members before the first layer
	entries []entry
	end     []byte
	tail    []byte // what follows the end
}

// readArchive reads a bundle.
func readArchive(t *testing.T, w *world, path string) *archive {
	t.Helper()
	raw, err := unzstd(get(t, path))
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{w: w, end: make([]byte, 1024)}
	for raw[0] != 0 {
		size, err := strconv.ParseInt(strings.Trim(string(raw[124:136]), " \x00"), 8, 64)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(string(raw[:100]), "\x00")
		a.entries = append(a.entries, entry{name, raw[:512:512], raw[512 : 512+size : 512+size]})
		raw = raw[512+(size+511)/512*512:]
	}
	var index struct{ Annotations map[string]string }
	parse(a.get("index.json").data, &index)
	n, err := strconv.Atoi(index.Annotations["dev.slipway.bundle.metadata-blobs"])
	if err != nil {
		t.Fatal(err)
	}
	a.head = 3 + n
	return a
}

func unzstd(b []byte) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, 64<<20))
}

func (a *archive) clone() *archive {
	c := *a
	c.entries = slices.Clone(a.entries)
	for i := range c.entries {
		c.entries[i].header, c.entries[i].data = bytes.Clone(c.entries[i].header), bytes.Clone(c.entries[i].data)
	}
	c.end = bytes.Clone(a.end)
	return &c
}

func (a *archive) at(name string) int {
	n := slices.IndexFunc(a.entries, func(e entry) bool { return e.name == name })
	if n < 0 {
		panic("there is no " + name)
	}
	return n
}

func (a *archive) get(name string) *entry { return &a.entries[a.at(name)] }

// set gives a member another content.
func (a *archive) set(name string, data []byte) { *a.get(name) = file(name, data) }

// insert puts members before the nth.
func (a *archive) insert(n int, list ...entry) {
	a.entries = slices.Insert(a.entries, n, list...)
	if n <= a.head {
		a.head += len(list)
	}
}

// add puts members before the first layer.
func (a *archive) add(list ...entry) { a.insert(a.head, list...) }

// last puts members before the end.
func (a *archive) last(list ...entry) { a.entries = append(a.entries, list...) }

func tarred(list []entry) []byte {
	var b []byte
	for _, e := range list {
		b = append(b, e.bytes()...)
	}
	return b
}

// raw is the tar.
func (a *archive) raw() []byte { return slices.Concat(tarred(a.entries), a.end, a.tail) }

// framed are the frames of a bundle: the head, each layer, and the end.
func (a *archive) framed() *frames {
	f := &frames{a: a}
	f.add(tarred(a.entries[:a.head]))
	for _, e := range a.entries[a.head:] {
		f.add(e.bytes())
	}
	if end := slices.Concat(a.end, a.tail); len(end) > 0 {
		f.add(end)
	}
	return f
}

// The bytes of a header in a tar, from and to.
var fields = map[string][2]int{
	"name": {0, 100}, "mode": {100, 108}, "uid": {108, 116}, "gid": {116, 124}, "size": {124, 136}, "mtime": {136, 148},
	"sum":  {148, 156},
	"type": {156, 157}, "link": {157, 257}, "magic": {257, 265}, "uname": {265, 297}, "gname": {297, 329},
	"devmajor": {329, 337}, "devminor": {337, 345}, "prefix": {345, 500}, "pad": {500, 512},
}

// header makes a header like those of bundles, and changes fields of it: "type=5".
func header(name string, size int, changes ...string) []byte {
	h := make([]byte, 512)
	write := func(field, text string) {
		f := fields[field]
		clear(h[f[0]:f[1]])
		copy(h[f[0]:f[1]], text)
	}
	write("name", name)
	write("mode", "0000644\x00")
	write("uid", "0000000\x00")
	write("gid", "0000000\x00")
	write("size", fmt.Sprintf("%011o\x00", size))
	write("mtime", "14747732200\x00")
	write("type", "0")
	write("magic", "ustar\x0000")
	write("devmajor", "0000000\x00")
	write("devminor", "0000000\x00")
	sum := true
	for _, c := range changes {
		field, text, _ := strings.Cut(c, "=")
		write(field, text)
		sum = sum && field != "sum"
	}
	if sum {
		checksum(h)
	}
	return h
}

// checksum completes a header.
func checksum(h []byte) {
	copy(h[148:156], "        ")
	n := 0
	for _, b := range h {
		n += int(b)
	}
	copy(h[148:156], fmt.Sprintf("%06o\x00 ", n))
}

func file(name string, data []byte, changes ...string) entry {
	return entry{name, header(name, len(data), changes...), data}
}

func blob(data []byte) entry { return file("blobs/sha256/"+sum(data), data) }

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// frame is a piece of a zstd file, and what the table says of it.
type frame struct {
	data     []byte
	size     uint32 // decompressed, by the table
	sum      uint32
	unlisted bool
}

// frames are a zstd file with a table.
type frames struct {
	a     *archive
	list  []frame
	table func(entries []byte, n int) []byte // nil: as it has to be
	after []byte                             // what follows the table
}

// newFrame compresses a frame.
func newFrame(raw []byte) frame {
	return frame{data: compress(raw), size: uint32(len(raw)), sum: uint32(xxhash.Sum64(raw))}
}

func compress(raw []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(raw, nil)
}

func (f *frames) add(raw []byte) { f.list = append(f.list, newFrame(raw)) }

// insert puts a frame before the nth, from the end if n is negative.
func (f *frames) insert(n int, fr frame) {
	if n < 0 {
		n += len(f.list)
	}
	f.list = slices.Insert(f.list, n, fr)
}

// hidden is a frame that the table says is empty.
func hidden(data []byte) frame { return frame{data: data, sum: uint32(xxhash.Sum64(nil))} }

// bytes are the file.
func (f *frames) bytes() []byte {
	var b, entries []byte
	n := 0
	for _, fr := range f.list {
		b = append(b, fr.data...)
		if !fr.unlisted {
			n++
			entries = binary.LittleEndian.AppendUint32(entries, uint32(len(fr.data)))
			entries = binary.LittleEndian.AppendUint32(entries, fr.size)
			entries = binary.LittleEndian.AppendUint32(entries, fr.sum)
		}
	}
	if f.table == nil {
		return slices.Concat(b, table(entries, n), f.after)
	}
	return slices.Concat(b, f.table(entries, n), f.after)
}

// table is a table of n frames.
func table(entries []byte, n int) []byte { return tableWith(entries, n, 0x184D2A5E, 0x80, 0) }

func tableWith(entries []byte, n int, magic uint32, flags byte, more int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, magic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(entries)+9+more))
	b = append(b, entries...)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, flags)
	return binary.LittleEndian.AppendUint32(b, 0x8F92EAB1)
}
