package renderer

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// The kinds of messages. A message is its kind, the length of its text in four bytes, and the text.
const (
	question = 'q' // the name of a task and its question
	answered = 'a' // a reply
	last     = 'l' // a reply after which the child ends
	begun    = 'b' // a file that the child begins to render
)

// maxQuestion bounds the files of a chart, a kustomization or templates, encoded.
const maxQuestion = 512 << 20

var errTooLarge = errors.New("message is too large")

func encode(name string, q any) ([]byte, error) {
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	if err := errors.Join(e.Encode(name), e.Encode(q)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func newDecoder(text []byte) *gob.Decoder { return gob.NewDecoder(bytes.NewReader(text)) }

// bounded is a buffer that takes no more than it has left.
type bounded struct {
	bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

func encodeReply(v any, limit int) ([]byte, error) {
	b := &bounded{left: limit}
	if err := gob.NewEncoder(b).Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func send(w io.Writer, kind byte, text []byte) error {
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(text)))
	if len(text) < 1<<12 {
		_, err := w.Write(append(head, text...))
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}

// receive reads a message of at most limit bytes.
func receive(r io.Reader, limit int) (kind byte, text []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if uint64(size) > uint64(limit) {
		return 0, nil, fmt.Errorf("%w: %d bytes", errTooLarge, size)
	}
	// A text is as large as what arrives, whatever the head claims.
	text, err = io.ReadAll(io.LimitReader(r, int64(size)))
	if err == nil && len(text) != int(size) {
		err = io.ErrUnexpectedEOF
	}
	return head[0], text, err
}

// reply is what a task returned.
type reply[A any] struct {
	Answer A
	Err    *failure
}

// failure is an error as a message has it: of several errors, or of one, which may be in a file.
type failure struct {
	Text string
	Pos  *yamlfile.Pos
	All  []*failure
}

func fault(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	switch e := err.(type) { //nolint:errorlint // what wraps another error has a text of its own
	case *yamlfile.Error:
		f.Text, f.Pos = e.Text, &e.Pos
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			f.All = append(f.All, fault(one))
		}
	}
	return f
}

func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Pos != nil:
		return &yamlfile.Error{Pos: *f.Pos, Text: f.Text}
	case len(f.All) > 0:
		var all []error
		for _, one := range f.All {
			all = append(all, one.err())
		}
		return errors.Join(all...)
	}
	return errors.New(f.Text)
}
