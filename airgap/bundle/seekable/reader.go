package seekable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest zstd window in bytes that is read. RKE2's decoder has the same limit.
const MaxWindow = 32 << 20

// Reader decompresses a file from any place on. Several goroutines may use it.
type Reader struct {
	src      io.ReaderAt
	size     int64               // bytes of src
	table    *seekable.SeekTable // nil: every read begins at the start of src
	decoders sync.Pool
}

// NewReader returns a reader of size bytes without a table: see [Reader.ReadTable].
func NewReader(src io.ReaderAt, size int64) *Reader { return &Reader{src: src, size: size} }

// ReadTable reads the table if the file has one. A file without a table must be one frame, as
// zstd itself writes it: one of several was cut off, and some decoders stop after the first. With
// an error, the file can be read from its start only.
func (r *Reader) ReadTable() (err error) {
	if r.table, err = readTable(r.src, r.size); err == nil && r.table == nil {
		err = r.single()
	}
	return err
}

// HasTable reports whether ReadTable found a table.
func (r *Reader) HasTable() bool { return r.table != nil }

// Raw reads the file as it is.
func (r *Reader) Raw() *io.SectionReader { return io.NewSectionReader(r.src, 0, r.size) }

// Size is how many bytes the file has decompressed, as its table has it.
func (r *Reader) Size() uint64 { return r.table.Size() }

// Frame returns where the frame that has a byte of the decompressed file begins and ends there.
func (r *Reader) Frame(off int64) (begin, end int64, ok bool) {
	e, ok := r.table.EntryByDecompressedOffset(uint64(off))
	return int64(e.DecompressedOffset), int64(e.DecompressedOffset) + int64(e.DecompressedSize), ok
}

// Frames counts the frames between two places of the decompressed file, and their bytes in the
// compressed one.
func (r *Reader) Frames(off, end int64) (n, size int64) {
	e, ok := r.table.EntryByDecompressedOffset(uint64(off))
	for ; ok && int64(e.DecompressedOffset) < end; e, ok = r.table.EntryByID(e.ID + 1) {
		size += int64(e.CompressedSize)
		n++
	}
	return n, size
}

// From reads the decompressed file from off to its end. Every frame is compared with its size and
// its checksum in the table.
func (r *Reader) From(off int64) (io.ReadCloser, error) {
	var d decoding
	skip := off
	if r.table == nil {
		z, err := r.decoder(r.Raw())
		if err != nil {
			return nil, err
		}
		d = &sequential{z}
	} else {
		e, ok := r.table.EntryByDecompressedOffset(uint64(off))
		if !ok {
			return nil, &TableError{fmt.Errorf("byte %d of the archive is behind the last frame", off)}
		}
		d = &stream{r: r, next: e.ID, last: r.table.NumFrames() - 1}
		skip -= int64(e.DecompressedOffset)
	}
	s := &exclusive{r: r, s: d}
	if _, err := io.CopyN(io.Discard, s, skip); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Between reads the decompressed file from off, where a frame must begin, to end, where one must
// end. The checksum of the last frame is compared as well.
func (r *Reader) Between(off, end int64) (io.ReadCloser, error) {
	first, ok := r.table.EntryByDecompressedOffset(uint64(off))
	last, found := r.table.EntryByDecompressedOffset(uint64(end - 1))
	if !ok || !found || int64(first.DecompressedOffset) != off ||
		int64(last.DecompressedOffset)+int64(last.DecompressedSize) != end {
		return nil, &TableError{fmt.Errorf("it has no frames for bytes %d to %d of the archive", off, end)}
	}
	return &exclusive{r: r, s: &stream{r: r, next: first.ID, last: last.ID}}, nil
}

// decoder returns a decoder for src. Working in the caller's goroutine alone, it has a window in
// memory and little else, and needs no Close.
func (r *Reader) decoder(src io.Reader) (*zstd.Decoder, error) {
	if z, ok := r.decoders.Get().(*zstd.Decoder); ok {
		return z, z.Reset(src)
	}
	return zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderMaxMemory(MaxWindow))
}

// sequential reads a file without a table.
type sequential struct{ *zstd.Decoder }

func (s *sequential) decoder() *zstd.Decoder { return s.Decoder }

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
