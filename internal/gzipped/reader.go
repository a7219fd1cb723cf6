package gzipped

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// Magic is what a gzip file begins with. Readers of archives recognize the third byte, too, which
// names deflate.
const Magic = "\x1f\x8b\x08"

var (
	errFollowed = errors.New("more follows its gzip member")
	errNewer    = errors.New("its gzip header has flags that RFC 1952 reserves")
)

// Error is a file that is not one gzip member.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Reader decompresses a file that is one member.
type Reader struct {
	src *bufio.Reader
	z   *gzip.Reader
	err error
}

// NewReader reads the header of a file. Names and comments in it are ignored; those that are longer
// than 512 bytes are an error.
func NewReader(src io.Reader) (*Reader, error) {
	r := &Reader{src: bufio.NewReaderSize(src, 1<<18)}
	begin, err := r.src.Peek(len(header))
	if err == nil && begin[3]&0xe0 != 0 {
		return nil, &Error{errNewer}
	}
	if r.z, err = gzip.NewReader(r.src); err != nil {
		return nil, classify(err)
	}
	r.z.Multistream(false)
	return r, nil
}

// Read reads the contents. What ends early is [io.ErrUnexpectedEOF]. The end of the contents is
// reported only if CRC and size are theirs, and the file ends there, too; else it is an [Error].
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.z.Read(p)
	if errors.Is(err, io.EOF) {
		switch _, more := r.src.ReadByte(); {
		case more == nil:
			err = &Error{errFollowed}
		case !errors.Is(more, io.EOF):
			err = more
		}
	} else {
		err = classify(err)
	}
	r.err = err
	return n, err
}

// classify returns the errors of decoding as an Error, and others as they are.
func classify(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF): // in the header
		return io.ErrUnexpectedEOF
	case errors.Is(err, gzip.ErrHeader):
		return &Error{errors.New("its gzip header is not one of RFC 1952")}
	case errors.Is(err, gzip.ErrChecksum):
		return &Error{errors.New("its contents do not have the CRC-32 and the size at its end")}
	case errors.As(err, &corrupt):
		return &Error{errors.New("its deflate blocks are damaged")}
	}
	return err
}
