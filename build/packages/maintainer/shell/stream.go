package shell

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// Stream is what a file descriptor refers to: a text that is read, a buffer, a file of the tree
// that is written, or nothing, as /dev/null.
type Stream struct {
	m       *Machine
	read    []byte // what is left to read
	buffer  *bytes.Buffer
	file    *file
	Console bool // the script's own output, which nobody reads
}

// file is one of the tree that is open for writing.
type file struct {
	path  string
	text  []byte
	mode  uint32
	node  *tree.Node // as it was written last
	dirty bool
}

// NewBuffer returns a stream that keeps what is written to it.
func (m *Machine) NewBuffer() *Stream { return &Stream{m: m, buffer: &bytes.Buffer{}} }

// NewReader returns a stream with a text.
func (m *Machine) NewReader(text []byte) *Stream { return &Stream{m: m, read: text} }

// Null returns a stream that is empty and forgets what is written.
func (m *Machine) Null() *Stream { return &Stream{m: m} }

// reader returns a stream with what a buffer has.
func (s *Stream) reader() *Stream { return &Stream{m: s.m, read: s.buffer.Bytes()} }

// Text returns what was written to a buffer.
func (s *Stream) Text() string {
	if s.buffer == nil {
		return ""
	}
	return s.buffer.String()
}

// Write writes to the stream. It fails where the script has written too much.
func (s *Stream) Write(p []byte) (int, error) {
	if err := s.m.count(len(p)); err != nil {
		return 0, err
	}
	switch {
	case s.buffer != nil:
		s.buffer.Write(p)
	case s.file != nil:
		if len(s.file.text)+len(p) > tree.MaxText {
			return 0, &Error{Text: fmt.Sprintf("%s gets more than %d bytes", s.file.path, tree.MaxText)}
		}
		s.file.text, s.file.dirty = append(s.file.text, p...), true
	}
	return len(p), nil
}

// Printf prints to the stream. What is too much is left out: the next statement finds that.
func (s *Stream) Printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// All reads what is left.
func (s *Stream) All() []byte {
	all := s.read
	s.read = nil
	return all
}

// Empty reports whether nothing is left to read.
func (s *Stream) Empty() bool { return len(s.read) == 0 }

// Line reads a line with its end. It returns false at the end of the text.
func (s *Stream) Line() (string, bool) {
	if len(s.read) == 0 {
		return "", false
	}
	n := bytes.IndexByte(s.read, '\n') + 1
	if n == 0 {
		n = len(s.read)
	}
	line := string(s.read[:n])
	s.read = s.read[n:]
	return line, true
}

// Read reads some of what is left.
func (s *Stream) Read(p []byte) (int, error) {
	if len(s.read) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.read)
	s.read = s.read[n:]
	return n, nil
}

// Flush puts what was written to open files into the tree.
func (m *Machine) Flush() error { return m.flush() }

func (m *Machine) flush() error {
	for _, f := range m.open {
		if !f.dirty {
			continue
		}
		if err := f.write(m); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) write(m *Machine) error {
	is, err := m.Tree.Lstat(f.path)
	if err != nil {
		return err
	}
	if f.node != nil && is != nil && is.Kind != layer.Regular {
		return &Error{Text: f.path + " was replaced while the script had it open"}
	}
	if f.node != nil && is == nil { // it was removed: what is written has no name
		f.dirty = false
		return nil
	}
	if err := m.Tree.WriteText(f.path, slices.Clone(f.text), modechange.Mode(f.mode)); err != nil {
		return err
	}
	f.dirty = false
	f.node, err = m.Tree.Lstat(f.path)
	return err
}

// close ends the writing of files that no stream of the shell has any longer.
func (sh *Shell) close(s *Stream) error {
	if s == nil || s.file == nil {
		return nil
	}
	for _, other := range sh.streams {
		if other == s || other != nil && other.file == s.file {
			return sh.flush()
		}
	}
	if err := sh.flush(); err != nil {
		return err
	}
	if n := slices.Index(sh.open, s.file); n >= 0 {
		sh.open = slices.Delete(slices.Clone(sh.open), n, n+1)
	}
	return nil
}

// openWrite opens a file for writing.
func (sh *Shell) openWrite(name string, add, keep bool) (*Stream, error) {
	if err := sh.flush(); err != nil {
		return nil, err
	}
	p := sh.Path(name)
	switch p {
	case "/dev/null", "/dev/zero", "/dev/full":
		return sh.Null(), nil
	}
	at, n, err := tree.Resolve(sh.Tree, p)
	if err != nil {
		return nil, err
	}
	dir, err := sh.Tree.Lstat(path.Dir(at))
	if err != nil {
		return nil, err
	}
	switch {
	case dir == nil || dir.Kind != layer.Dir:
		return nil, sh.cannot("create", name, "Directory nonexistent")
	case n != nil && n.Kind == layer.Dir:
		return nil, sh.cannot("create", name, "Is a directory")
	case n != nil && (n.Kind != layer.Regular || n.Odd != ""):
		return nil, sh.refuse("%s is not a regular file", name)
	case n != nil && n.Hard:
		return nil, sh.refuse("%s has several names: it cannot be written in place", name)
	case n != nil && keep:
		return nil, sh.cannot("create", name, "File exists")
	}
	f := &file{path: at, mode: 0o666 &^ sh.Umask, node: n, dirty: n == nil || !add}
	for _, other := range sh.open {
		if other.path == at {
			f = other
			if !add {
				f.text, f.dirty = nil, true
			}
			return &Stream{m: sh.Machine, file: f}, sh.flush()
		}
	}
	if n != nil && add {
		if f.text, err = tree.ReadText(sh.Tree, at); err != nil {
			return nil, err
		}
	}
	sh.open = append(sh.open, f)
	return &Stream{m: sh.Machine, file: f}, sh.flush()
}

// openRead opens a file for reading.
func (sh *Shell) openRead(name string) (*Stream, error) {
	if err := sh.flush(); err != nil {
		return nil, err
	}
	p := sh.Path(name)
	if p == "/dev/null" {
		return sh.Null(), nil
	}
	at, n, err := tree.Resolve(sh.Tree, p)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, sh.cannot("open", name, "No such file")
	}
	if n.Kind != layer.Regular || n.Odd != "" {
		return nil, sh.refuse("%s is not a regular file", name)
	}
	text, err := tree.ReadText(sh.Tree, at)
	return sh.NewReader(text), err
}

func (sh *Shell) cannot(do, name, why string) error {
	status := 2
	if sh.Bash {
		status = 1
	}
	return &failed{status, fmt.Sprintf("cannot %s %s: %s", do, name, why)}
}

// Path returns the absolute path of a name.
func (sh *Shell) Path(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return sh.Dir + "/" + name
}
