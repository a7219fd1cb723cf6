package seekable

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// frameReader reads the compressed bytes of one frame, and fails where they are something else: a
// skippable frame, more than one frame, or bytes behind it. Decoders accept all of these, each in
// its way, so that a file could hold what its table does not list. The form is that of RFC 8878,
// section 3.1.1.
type frameReader struct {
	src io.Reader
	// size is how many decompressed bytes the frame may announce; -1: any number. Encoders
	// announce none of a frame below 256 bytes.
	size int64

	part  framePart
	skip  int64  // bytes of the current part that are still to come, and not kept
	buf   []byte // bytes of the current part that are kept
	sum   bool   // a checksum ends the frame
	ended bool   // so far, the bytes are a whole frame
}

// framePart is what the next byte of a frame belongs to.
type framePart int

const (
	frameHeader framePart = iota
	blockHeader
	frameEnd
)

const (
	frameMagic  = "\x28\xb5\x2f\xfd"
	blockBytes  = 3 // of a block's header
	checksumLen = 4
)

func (f *frameReader) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	if bad := f.scan(p[:n]); bad != nil {
		return 0, bad
	}
	if errors.Is(err, io.EOF) && !f.ended {
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// scan follows the parts of the frame through the next bytes of it.
func (f *frameReader) scan(p []byte) error {
	for len(p) > 0 {
		if n := min(f.skip, int64(len(p))); n > 0 {
			f.skip -= n
			p = p[n:]
			f.ended = f.skip == 0 && f.part == frameEnd
			continue
		}
		if f.part == frameEnd {
			return errors.New("more than one frame is where one must be")
		}
		f.buf, p = append(f.buf, p[0]), p[1:]
		switch {
		case f.part == frameHeader:
			if err := f.header(); err != nil {
				return err
			}
		case len(f.buf) == blockBytes:
			f.block(uint32(f.buf[0]) | uint32(f.buf[1])<<8 | uint32(f.buf[2])<<16)
		}
	}
	return nil
}

// header reads the header of a frame, whose first bytes may be too few.
func (f *frameReader) header() error {
	if n := min(len(f.buf), len(frameMagic)); string(f.buf[:n]) != frameMagic[:n] {
		return errors.New("no zstd frame is where one must begin")
	}
	// a dictionary's identifier, or the reserved bit, of the descriptor
	if at := len(frameMagic); len(f.buf) > at && f.buf[at]&0x0B != 0 {
		return errors.New("the frame needs a dictionary, or is of a newer format")
	}
	var h zstd.Header
	if h.Decode(f.buf) != nil {
		return nil //nolint:nilerr // it has more bytes
	}
	switch {
	case h.FrameContentSize > 1<<62:
		return fmt.Errorf("the frame announces %d bytes", h.FrameContentSize)
	case f.size >= 0 && h.HasFCS && h.FrameContentSize != uint64(f.size):
		return fmt.Errorf("the frame has %d bytes, %d in the seek table", h.FrameContentSize, f.size)
	}
	f.sum, f.part, f.buf = h.HasCheckSum, blockHeader, f.buf[:0]
	return nil
}

// block begins a block, whose header has the bits last, type (2) and size (21).
func (f *frameReader) block(header uint32) {
	f.buf = f.buf[:0]
	f.skip = int64(header >> 3)
	if header>>1&3 == 1 { // one byte, repeated
		f.skip = 1
	}
	if header&1 == 0 {
		return
	}
	f.part = frameEnd
	if f.sum {
		f.skip += checksumLen
	}
	f.ended = f.skip == 0
}

// single returns an error for a file that begins with a frame and does not end with it, and reads
// the headers of blocks only.
func (r *Reader) single() error {
	f := &frameReader{size: -1}
	var b [1]byte
	for off := int64(0); off < r.size; {
		if f.skip > 0 {
			off += f.skip
			f.skip = 0
			continue
		}
		if _, err := r.src.ReadAt(b[:], off); err != nil {
			return err
		}
		if f.scan(b[:]) != nil {
			return ErrNoTable
		}
		off++
	}
	return nil
}
