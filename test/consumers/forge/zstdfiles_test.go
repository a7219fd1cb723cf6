package forge

import (
	"bytes"
	"slices"

	"github.com/klauspost/compress/zstd"
)

func compressSmall(raw []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<10), zstd.WithSingleSegment(false),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(raw, nil)
}

// rle is a frame of one block that stands for so many zeros.
func rle(n int) []byte {
	h := uint32(n)<<3 | 1<<1 | 1
	return []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x70, byte(h), byte(h >> 8), byte(h >> 16), 0}
}

// withEvil is the tar with the forger's image before its end.
func (a *archive) withEvil() []byte {
	a.last(a.evil()...)
	return a.raw()
}

func zip(raw []byte) []byte {
	var b bytes.Buffer
	w := gzipWriter(&b)
	w.Write(raw) //nolint:errcheck // to memory
	w.Close()    //nolint:errcheck // to memory
	return b.Bytes()
}

func init() {
	zstdFrames = append(zstdFrames,
		mechanism{name: "one frame without a table", file: func(a *archive) []byte { return compress(a.withEvil()) }},
		mechanism{name: "frames without a table", file: func(a *archive) []byte {
			return slices.Concat(compress(tarred(a.entries)), compress(tarred(a.evil())), compress(a.end))
		}},
		mechanism{name: "plain tar", file: func(a *archive) []byte { return a.withEvil() }},
		mechanism{name: "gzip", file: func(a *archive) []byte { return zip(a.withEvil()) }},
		mechanism{name: "gzip of several members", file: func(a *archive) []byte {
			return slices.Concat(zip(tarred(a.entries)), zip(tarred(a.evil())), zip(a.end))
		}},
		mechanism{name: "gzip with an extra field", file: func(a *archive) []byte {
			return zipExtra(a.withEvil(), []byte("SW\x04\x00evil"))
		}},
		mechanism{name: "gzip whose extra field begins as zstd", file: func(a *archive) []byte {
			return zipExtra(a.withEvil(), skippable(0xFD2FB528, 4, []byte("abcd")))
		}},
		mechanism{name: "skippable frame before all", file: func(a *archive) []byte {
			return append(skippable(0x184D2A50, 4, []byte("abcd")), compress(a.withEvil())...)
		}},
		mechanism{name: "skippable frame before all frames of a table", zstd: func(f *frames) {
			f.insert(0, hidden(skippable(0x184D2A50, 4, []byte("abcd"))))
			f.insert(-1, hidden(f.evil()))
		}},
		mechanism{name: "gzip frame behind zstd", file: func(a *archive) []byte {
			return slices.Concat(compress(tarred(a.entries)), zip(tarred(a.evil())), compress(a.end))
		}},
		mechanism{name: "zstd frames of single members", file: func(a *archive) []byte {
			var b []byte
			for _, e := range slices.Concat(a.entries, a.evil()) {
				b = append(b, compress(e.bytes())...)
			}
			return append(b, compress(a.end)...)
		}},
		mechanism{name: "frame that ends in the middle of a member", file: func(a *archive) []byte {
			raw := a.withEvil()
			return append(compress(raw[:len(raw)-5000]), compress(raw[len(raw)-5000:])...)
		}},
		mechanism{name: "table of the release on another file", zstd: func(f *frames) {
			genuine := f.a.framed()
			text := genuine.bytes()
			own := text[len(text)-len(genuine.list)*12-17:]
			f.insert(-1, hidden(f.evil()))
			f.table = func([]byte, int) []byte { return own }
		}},
		mechanism{name: "frames of the release again", zstd: func(f *frames) {
			f.insert(-1, hidden(slices.Concat(f.list[0].data, f.evil())))
		}},
	)
}
