package cache

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// The commands of the protocol.
const (
	cmdGet   = "get"
	cmdPut   = "put"
	cmdClose = "close"
)

// Bounds on what the go command sends. Objects are archives of packages, of some MiB.
const (
	maxLine = 64 << 10 // bytes of a request without its body
	maxBody = 4 << 30  // bytes of an object
)

// id is a SHA-256: the name of an action or of an object.
type id [32]byte

// request is a request of the go command.
type request struct {
	ID       int64
	Command  string
	ActionID []byte
	OutputID []byte
	BodySize int64
}

// response answers a request.
type response struct {
	ID            int64
	Err           string     `json:",omitempty"`
	KnownCommands []string   `json:",omitempty"`
	Miss          bool       `json:",omitempty"`
	OutputID      []byte     `json:",omitempty"`
	Size          int64      `json:",omitempty"`
	Time          *time.Time `json:",omitempty"`
	DiskPath      string     `json:",omitempty"`
}

// reader reads requests. Each is a line of JSON; that of a put with a body is followed by a line
// with a JSON string, the body in base64.
type reader struct{ in *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, maxLine)} }

// next reads a request without its body. At the end of the input it returns [io.EOF].
func (r *reader) next() (*request, error) {
	for {
		line, err := r.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("a request has more than %d bytes", maxLine)
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case len(line) == 1: // an empty line follows each request
			continue
		}
		var q request
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, fmt.Errorf("a request is not JSON: %w", err)
		}
		if q.BodySize < 0 || q.BodySize > maxBody {
			return nil, fmt.Errorf("a request has a body of %d bytes", q.BodySize)
		}
		return &q, nil
	}
}

// body returns the body of the request that was read last. The caller reads it to its end, and then
// calls the function.
func (r *reader) body(size int64) (io.Reader, func() error, error) {
	if size == 0 {
		return strings.NewReader(""), func() error { return nil }, nil
	}
	for { // an empty line follows the request
		b, err := r.in.Peek(1)
		if err != nil || b[0] != '\n' {
			break
		}
		r.in.Discard(1) //nolint:errcheck // it is there
	}
	if err := r.skip('"'); err != nil {
		return nil, nil, err
	}
	text := io.LimitReader(r.in, int64(base64.StdEncoding.EncodedLen(int(size))))
	return io.LimitReader(base64.NewDecoder(base64.StdEncoding.Strict(), noBreaks{text}), size), func() error {
		if err := r.skip('"'); err != nil {
			return err
		}
		return r.skip('\n')
	}, nil
}

// skip reads one byte, which must be b.
func (r *reader) skip(b byte) error {
	got, err := r.in.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && got != b {
		err = fmt.Errorf("%q is where a body should have %q", got, b)
	}
	return err
}

// noBreaks refuses line breaks, which package base64 ignores: a body would be shorter than its
// text.
type noBreaks struct{ r io.Reader }

func (n noBreaks) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	for _, b := range p[:k] {
		if b == '\n' || b == '\r' {
			return 0, errors.New("a line ends within a body")
		}
	}
	return k, err
}
