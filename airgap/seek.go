package airgap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// The seek table of https://github.com/facebook/zstd/blob/dev/contrib/seekable_format: a
// skippable frame at the end of the file, whose last bytes are the footer: number of frames, a
// byte of flags, a magic number.
const (
	tableHeader = 8 // bytes before the entries
	tableFooter = 9
	tableMagic  = 0x8F92EAB1
	maxFrames   = 1 << 20 // of 1 MiB or more each
)

// readTable reads the seek table at the end of a file. It is nil where there is none, and an
// error where it does not describe the file.
func readTable(r io.ReaderAt, size int64) (*seekable.SeekTable, error) {
	var footer [tableFooter]byte
	if size < tableHeader+tableFooter {
		return nil, nil
	}
	if _, err := r.ReadAt(footer[:], size-tableFooter); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(footer[5:]) != tableMagic {
		return nil, nil
	}
	n, entry := int64(binary.LittleEndian.Uint32(footer[:])), int64(8)
	if footer[4]&0x80 != 0 {
		entry = 12
	}
	length := tableHeader + n*entry + tableFooter
	if n > maxFrames || length > size {
		return nil, fmt.Errorf("the seek table is damaged: it has %d frames: copy the bundle again", n)
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, size-length); err != nil {
		return nil, err
	}
	t, err := seekable.NewSeekTable(b)
	if err != nil {
		return nil, fmt.Errorf("the seek table is damaged: %w: copy the bundle again", err)
	}
	var end uint64
	if last, ok := t.EntryByID(n - 1); ok {
		end = last.CompressedOffset + uint64(last.CompressedSize)
	}
	if t.Size()/maxRatio > uint64(size)+1<<20 {
		return nil, fmt.Errorf("not a bundle of Slipway: its %d bytes are said to hold %d", size, t.Size())
	}
	if end != uint64(size-length) {
		return nil, fmt.Errorf("the seek table is damaged: its frames end at byte %d, it begins at %d: copy the bundle again", end, size-length)
	}
	return t, nil
}

// frameError says that a frame is not what was packed.
type frameError struct {
	seekable.FrameOffsetEntry
	err error
}

func (e *frameError) Error() string {
	return fmt.Sprintf("the bundle is damaged between bytes %d and %d: %v: copy it again", e.CompressedOffset, e.CompressedOffset+uint64(e.CompressedSize), e.err)
}

func (e *frameError) Unwrap() error { return e.err }

// archiveReader gives the decompressed archive from any place on. Several goroutines may use it.
type archiveReader struct {
	src      io.ReaderAt
	size     int64               // bytes of src
	table    *seekable.SeekTable // nil: every read begins at the start of src
	decoders sync.Pool
}

// decoder returns a decoder for r. One that works alone keeps a window in memory and little else,
// and needs no end.
func (a *archiveReader) decoder(r io.Reader) (*zstd.Decoder, error) {
	if z, ok := a.decoders.Get().(*zstd.Decoder); ok {
		return z, z.Reset(r)
	}
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
}

// from reads the archive from off on. Every frame is held against the checksum that the seek
// table has of it.
func (a *archiveReader) from(off int64) (io.ReadCloser, error) {
	if a.table == nil {
		z, err := a.decoder(io.NewSectionReader(a.src, 0, a.size))
		if err != nil {
			return nil, err
		}
		s := &sequential{a, z}
		if _, err := io.CopyN(io.Discard, s, off); err != nil {
			s.Close()
			return nil, damaged(err)
		}
		return s, nil
	}
	e, ok := a.table.EntryByDecompressedOffset(uint64(off))
	if !ok {
		return nil, fmt.Errorf("the bundle is damaged: byte %d of its archive lies behind the last frame: copy it again", off)
	}
	s := &stream{a: a, next: e.ID, last: a.table.NumFrames() - 1}
	if _, err := io.CopyN(io.Discard, s, off-int64(e.DecompressedOffset)); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// between reads the archive from off, where a frame begins, to end, where one ends; the checksum
// of the last frame is checked as well.
func (a *archiveReader) between(off, end int64) (io.ReadCloser, error) {
	first, ok := a.table.EntryByDecompressedOffset(uint64(off))
	last, found := a.table.EntryByDecompressedOffset(uint64(end - 1))
	if !ok || !found || int64(first.DecompressedOffset) != off || int64(last.DecompressedOffset)+int64(last.DecompressedSize) != end {
		return nil, fmt.Errorf("the bundle is damaged: the seek table has no frames for bytes %d to %d of the archive: copy it again", off, end)
	}
	return &stream{a: a, next: first.ID, last: last.ID}, nil
}

// sequential reads an archive without a seek table.
type sequential struct {
	a *archiveReader
	z *zstd.Decoder
}

func (s *sequential) Read(p []byte) (int, error) { return s.z.Read(p) }

func (s *sequential) Close() error {
	s.a.decoders.Put(s.z)
	return nil
}

// stream reads frame after frame.
type stream struct {
	a     *archiveReader
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
			e, ok := s.a.table.EntryByID(s.next)
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
			return 0, s.bad(errors.New("the frame is larger than the seek table says"))
		case err != nil && !errors.Is(err, io.EOF):
			return n, s.bad(err)
		case err != nil:
			s.open = false
			if s.n != uint64(s.frame.DecompressedSize) || s.a.table.HasChecksums() && uint32(s.hash.Sum64()) != s.frame.Checksum {
				return n, s.bad(errors.New("the frame has another checksum than the seek table says"))
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
	r := io.NewSectionReader(s.a.src, int64(e.CompressedOffset), int64(e.CompressedSize))
	if s.z != nil {
		return s.z.Reset(r)
	}
	var err error
	s.z, err = s.a.decoder(r)
	return err
}

func (s *stream) bad(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the frame ends early") // not to be taken for the end of what is read
	}
	return &frameError{s.frame, err}
}

func (s *stream) Close() error {
	if s.z != nil {
		s.a.decoders.Put(s.z)
		s.z = nil
	}
	return nil
}
