package seekable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	frameMagic  = 0xFD2FB528
	maxHeader   = 14 // bytes of a frame's header, with its magic number
	blockBytes  = 3  // of a block's header
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
		if err := f.step(); err != nil {
			return err
		}
	}
	return nil
}

// step ends the current part if all of it has been read.
func (f *frameReader) step() error {
	if f.part == blockHeader {
		if len(f.buf) == blockBytes {
			f.block(uint32(f.buf[0]) | uint32(f.buf[1])<<8 | uint32(f.buf[2])<<16)
		}
		return nil
	}
	h, err := parseFrameHeader(f.buf)
	if err != nil || !h.complete {
		return err
	}
	if f.size >= 0 && h.content >= 0 && h.content != f.size {
		return fmt.Errorf("the frame has %d bytes, %d in the seek table", h.content, f.size)
	}
	f.sum, f.part, f.buf = h.checksum, blockHeader, f.buf[:0]
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

// header is what the header of a frame says.
type header struct {
	complete bool  // all of it has been read
	content  int64 // bytes that the frame has decompressed; -1: it does not say
	checksum bool
}

// parseFrameHeader reads the header of a frame from its first bytes, which may be too few.
func parseFrameHeader(b []byte) (header, error) {
	const fixed = 5 // the magic number and the descriptor
	if n := min(len(b), 4); binary.LittleEndian.Uint32(append(b[:n:n], magicBytes[n:]...)) != frameMagic {
		return header{}, errors.New("no zstd frame is where one must begin")
	}
	if len(b) < fixed {
		return header{}, nil
	}
	d := b[4]
	single := d&0x20 != 0
	if d&0x0B != 0 { // a dictionary's identifier, or the reserved bit
		return header{}, errors.New("the frame needs a dictionary, or is of a newer format")
	}
	at, size := fixed, []int{0, 2, 4, 8}[d>>6]
	if single && size == 0 {
		size = 1
	}
	if !single {
		at++ // the window
	}
	if len(b) < at+size {
		return header{}, nil
	}
	h := header{complete: true, content: -1, checksum: d&0x04 != 0}
	switch b = b[at:]; size {
	case 1:
		h.content = int64(b[0])
	case 2:
		h.content = int64(binary.LittleEndian.Uint16(b)) + 256
	case 4:
		h.content = int64(binary.LittleEndian.Uint32(b))
	case 8:
		n := binary.LittleEndian.Uint64(b)
		if n > 1<<62 {
			return header{}, fmt.Errorf("the frame announces %d bytes", n)
		}
		h.content = int64(n)
	}
	return h, nil
}

// single returns an error for a file that begins with a frame and does not end with it. It reads
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

// magicBytes are frameMagic as a file has it.
var magicBytes = binary.LittleEndian.AppendUint32(nil, frameMagic)
