package forge

import (
	"encoding/binary"
	"slices"
)

// skippable is a skippable frame that says how long it is.
func skippable(magic uint32, says int, content []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, magic)
	b = binary.LittleEndian.AppendUint32(b, uint32(says))
	return append(b, content...)
}

// evilFrame is the forger's image in a frame.
func (f *frames) evil() []byte { return compress(tarred(f.a.evil())) }

// hand writes a frame of raw blocks: its header is what the forger likes.
func hand(content []byte, descriptor byte, fields []byte, kind byte, trailer ...byte) []byte {
	b := append([]byte{0x28, 0xb5, 0x2f, 0xfd, descriptor}, fields...)
	blocks := slices.Collect(slices.Chunk(content, 100<<10))
	for n, c := range blocks {
		h := uint32(len(c))<<3 | uint32(kind)<<1
		if n == len(blocks)-1 {
			h |= 1
		}
		b = append(b, byte(h), byte(h>>8), byte(h>>16))
		b = append(b, c...)
	}
	return append(b, trailer...)
}

// byHand hides the forger's image in a frame that was written by hand, before the end.
func byHand(descriptor byte, fields []byte, kind byte, trailer ...byte) func(f *frames) {
	return func(f *frames) { f.insert(-1, hidden(hand(tarred(f.a.evil()), descriptor, fields, kind, trailer...))) }
}

func le(size int, n uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, n)[:size]
}

// zstdFrames are files whose table differs from the frames.
var zstdFrames = []mechanism{
	{name: "hidden frame before the end", zstd: func(f *frames) { f.insert(-1, hidden(f.evil())) }},
	{name: "hidden frame at the start", zstd: func(f *frames) { f.insert(0, hidden(f.evil())) }},
	{name: "hidden frame before the first layer", zstd: func(f *frames) { f.insert(1, hidden(f.evil())) }},
	{name: "hidden frame between two layers", zstd: func(f *frames) { f.insert(3, hidden(f.evil())) }},
	{name: "hidden frame in place of the end", zstd: func(f *frames) {
		f.list[len(f.list)-1] = frame{
			data: compress(append(tarred(f.a.evil()), f.a.end...)), size: 1024,
			sum: f.list[len(f.list)-1].sum,
		}
	}},
	{name: "hidden frame behind the end", zstd: func(f *frames) { f.list = append(f.list, hidden(f.evil())) }},
	{name: "documents at the start, blobs at the end", zstd: func(f *frames) {
		f.insert(-1, hidden(compress(tarred(f.a.w.evil.blobs))))
		f.insert(1, hidden(compress(tarred(f.a.heads()))))
	}},
	{name: "many hidden frames", zstd: func(f *frames) {
		for _, e := range f.a.evil() {
			f.insert(-1, hidden(compress(e.bytes())))
		}
	}},
	{name: "two frames in one entry", zstd: func(f *frames) { f.list[0].data = append(f.list[0].data, f.evil()...) }},
	{name: "two frames in one entry of a layer", zstd: func(f *frames) {
		f.list[2].data = append(f.list[2].data, f.evil()...)
	}},
	{name: "two frames in the last entry", zstd: func(f *frames) {
		last := &f.list[len(f.list)-1]
		last.data = append(f.evil(), last.data...)
	}},
	{name: "frame that is not listed", zstd: func(f *frames) { f.insert(-1, frame{data: f.evil(), unlisted: true}) }},
	{name: "frame before the first that is not listed", zstd: func(f *frames) {
		f.insert(0, frame{data: f.evil(), unlisted: true})
	}},
	{name: "frame between frames and table", zstd: func(f *frames) {
		f.list = append(f.list, frame{data: f.evil(), unlisted: true})
	}},
	{name: "hidden frame behind a skippable frame that says it is shorter", zstd: func(f *frames) {
		f.insert(-1, hidden(append(skippable(0x184D2A50, 4, []byte("abcd")), f.evil()...)))
	}},
	{name: "hidden frame behind a table", zstd: func(f *frames) {
		f.insert(-1, hidden(append(table(nil, 0), f.evil()...)))
	}},
	{name: "skippable frame for a layer's place", zstd: func(f *frames) {
		f.list[1].data = append(skippable(0x184D2A5F, 0, nil),
			compress(append(tarred(f.a.evil()), f.a.entries[f.a.head].bytes()...))...)
	}},
	{name: "table without checksums", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.table = func(entries []byte, n int) []byte {
			var b []byte
			for e := range slices.Chunk(entries, 12) {
				b = append(b, e[:8]...)
			}
			return tableWith(b, n, 0x184D2A5E, 0, 0)
		}
	}},
	{name: "table with reserved bits", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.table = func(e []byte, n int) []byte { return tableWith(e, n, 0x184D2A5E, 0xff, 0) }
	}},
	{name: "table that says it is shorter", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.table = func(e []byte, n int) []byte { return tableWith(e, n, 0x184D2A5E, 0x80, -12) }
	}},
	{name: "table that says it is longer", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.table = func(e []byte, n int) []byte { return tableWith(e, n, 0x184D2A5E, 0x80, 1<<20) }
	}},
	{name: "table of another magic number", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.table = func(e []byte, n int) []byte { return tableWith(e, n, 0x184D2A50, 0x80, 0) }
	}},
	{name: "table in a zstd frame", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.table = func(e []byte, n int) []byte { return append(compress(nil), table(e, n)...) }
	}},
	{name: "frame behind the table", zstd: func(f *frames) {
		end := f.list[len(f.list)-1].data
		f.list = f.list[:len(f.list)-1]
		f.after = append(f.evil(), end...)
	}},
	{name: "frame and table behind the table", zstd: func(f *frames) {
		good := table(nil, 0)
		end := f.list[len(f.list)-1].data
		f.list = f.list[:len(f.list)-1]
		f.after = slices.Concat(f.evil(), end, good)
	}},
	{name: "table of the release behind another", zstd: func(f *frames) {
		genuine := f.a.framed()
		all := genuine.bytes()
		entries := all[len(all)-len(genuine.list)*12-9 : len(all)-9]
		f.insert(-1, hidden(f.evil()))
		f.after = table(entries, len(genuine.list))
	}},
	{name: "sizes of two frames exchanged", zstd: func(f *frames) {
		f.insert(-1, hidden(f.evil()))
		f.list[1].size, f.list[2].size = f.list[2].size, f.list[1].size
	}},
	{name: "entry of nothing", zstd: func(f *frames) { f.insert(1, hidden(nil)); f.insert(-1, hidden(f.evil())) }},
	{name: "hidden frame without content size", zstd: byHand(0x00, []byte{0x70}, 0)},
	{name: "hidden frame with a dictionary 0 of one byte", zstd: byHand(0x01, []byte{0x70, 0}, 0)},
	{name: "hidden frame with a dictionary 0 of four bytes", zstd: byHand(0x03, []byte{0x70, 0, 0, 0, 0}, 0)},
	{name: "hidden frame with the unused bit", zstd: byHand(0x10, []byte{0x70}, 0)},
	{name: "hidden frame with a window of 16 MiB", zstd: byHand(0x00, []byte{0x70}, 0)},
	{name: "hidden frame with a window of 1 KiB", zstd: func(f *frames) {
		f.insert(-1, hidden(compressSmall(tarred(f.a.evil()))))
	}},
	{name: "hidden frame of which the size has eight bytes", zstd: func(f *frames) {
		raw := tarred(f.a.evil())
		f.insert(-1, hidden(hand(raw, 0xc0, append([]byte{0x70}, le(8, uint64(len(raw)))...), 0)))
	}},
	{name: "hidden frame in a single segment", zstd: func(f *frames) {
		raw := tarred(f.a.evil())
		f.insert(-1, hidden(hand(raw, 0xa0, le(4, uint64(len(raw))), 0)))
	}},
	{name: "zeros in a hidden frame", zstd: func(f *frames) {
		f.insert(1, hidden(compress(make([]byte, 1024))))
		f.insert(-1, hidden(f.evil()))
	}},
	{name: "zeros of one block in a hidden frame", zstd: func(f *frames) {
		f.insert(-1, hidden(append(hand([]byte{0}, 0x00, []byte{0x70}, 1), f.evil()...)))
		f.list[len(f.list)-2].data = append(rle(512), f.evil()...)
	}},
}
