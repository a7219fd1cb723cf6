package gzipped

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/flate"
)

// level is that of gzip and pigz where none is named.
const level = 6

// maxStored is how many bytes one stored block may have.
const maxStored = 1<<16 - 1

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level exists
	}
	return w
}}

// Deflate appends raw to dst as blocks of deflate that end at a byte. Equal bytes give equal
// blocks.
func Deflate(dst, raw []byte) []byte {
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	out := bytes.NewBuffer(dst)
	w.Reset(out)
	w.Write(raw) //nolint:errcheck // a buffer has no errors
	w.Flush()    //nolint:errcheck // as above
	return out.Bytes()
}

// Store appends raw to dst as stored blocks.
func Store(dst, raw []byte) []byte {
	for len(raw) > 0 {
		n := min(len(raw), maxStored)
		dst = append(dst, 0, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		dst = append(dst, raw[:n]...)
		raw = raw[n:]
	}
	return dst
}
