package forge

import "slices"

// endsWith writes a gzip file whose end, the CRC-32 and the size, has another byte.
func endsWith(raw []byte, from int) []byte {
	b := zip(raw)
	b[len(b)-from] ^= 1
	return b
}

func init() {
	zstdFrames = append(zstdFrames,
		mechanism{name: "gzip of the release", file: func(a *archive) []byte { return zip(a.raw()) }},
		mechanism{name: "gzip of the release, another member behind it", file: func(a *archive) []byte {
			return slices.Concat(zip(a.raw()), zip(slices.Concat(tarred(a.evil()), a.end)))
		}},
		mechanism{name: "gzip of the release, an archive behind its end", file: func(a *archive) []byte {
			return zip(slices.Concat(a.raw(), tarred(a.evil()), a.end))
		}},
		mechanism{name: "gzip of the release, zeros behind it", file: func(a *archive) []byte {
			return append(zip(a.raw()), make([]byte, 512)...)
		}},
		mechanism{name: "gzip of the release, text behind it", file: func(a *archive) []byte {
			return append(zip(a.raw()), "text"...)
		}},
		mechanism{name: "gzip of the release, a zstd frame behind it", file: func(a *archive) []byte {
			return append(zip(a.raw()), compress(slices.Concat(tarred(a.evil()), a.end))...)
		}},
		mechanism{name: "gzip of another CRC-32", file: func(a *archive) []byte { return endsWith(a.withEvil(), 8) }},
		mechanism{name: "gzip of the release, another CRC-32", file: func(a *archive) []byte { return endsWith(a.raw(), 8) }},
		mechanism{name: "gzip of the release, another size", file: func(a *archive) []byte { return endsWith(a.raw(), 1) }},
		mechanism{name: "gzip of the release, a reserved flag", file: func(a *archive) []byte {
			b := zip(a.raw())
			b[3] |= 0x80
			return b
		}},
		mechanism{name: "gzip of the release without its end", file: func(a *archive) []byte {
			b := zip(a.raw())
			return b[:len(b)-8]
		}},
	)
}
