package seekable

import (
	"errors"
	"io"
	"os"
	"sync"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// decoding is an io.ReadCloser that holds a decoder of the pool, or takes one when it needs it.
type decoding interface {
	io.Reader
	decoder() *zstd.Decoder // nil before it has one
}

// exclusive may be closed while it is read, as net/http closes the body of a request that has its
// answer. Close waits for the Read under way: another reader gets the decoder.
type exclusive struct {
	r      *Reader
	mu     sync.Mutex
	s      decoding
	closed bool
}

func (e *exclusive) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, os.ErrClosed
	}
	return e.s.Read(p)
}

func (e *exclusive) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if z := e.s.decoder(); z != nil && !e.closed {
		e.r.decoders.Put(z)
	}
	e.closed = true
	return nil
}

// stream reads frame after frame.
type stream struct {
	r     *Reader
	next  int64                     // frame to read
	last  int64                     // frame to read; behind it the stream ends
	frame seekable.FrameOffsetEntry // the current one
	z     *zstd.Decoder
	open  bool // a frame is being read
	n     uint64
	hash  xxhash.Digest
}

func (s *stream) Read(p []byte) (int, error) {
	for {
		if !s.open {
			e, ok := s.r.table.EntryByID(s.next)
			if !ok || s.next > s.last {
				return 0, io.EOF
			}
			if err := s.begin(e); err != nil {
				return 0, err
			}
		}
		n, err := s.z.Read(p)
		s.hash.Write(p[:n]) //nolint:errcheck // it has no errors
		s.n += uint64(n)
		switch {
		case s.n > uint64(s.frame.DecompressedSize):
			return 0, s.bad(errors.New("the frame is larger than in the seek table"))
		case err != nil && !errors.Is(err, io.EOF):
			return n, s.bad(err)
		case err != nil:
			s.open = false
			if s.n != uint64(s.frame.DecompressedSize) ||
				s.r.table.HasChecksums() && uint32(s.hash.Sum64()) != s.frame.Checksum {
				return n, s.bad(errors.New("the frame has another checksum than in the seek table"))
			}
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
}

func (s *stream) begin(e seekable.FrameOffsetEntry) error {
	s.frame, s.n, s.open = e, 0, true
	s.next++
	s.hash.Reset()
	src := &frameReader{
		src:  io.NewSectionReader(s.r.src, int64(e.CompressedOffset), int64(e.CompressedSize)),
		size: int64(e.DecompressedSize),
	}
	if s.z != nil {
		return s.z.Reset(src)
	}
	var err error
	s.z, err = s.r.decoder(src)
	return err
}

func (s *stream) bad(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the frame ends early") // io.ErrUnexpectedEOF is the end of the file
	}
	from := int64(s.frame.CompressedOffset)
	return &FrameError{from, from + int64(s.frame.CompressedSize), err}
}

func (s *stream) decoder() *zstd.Decoder { return s.z }
