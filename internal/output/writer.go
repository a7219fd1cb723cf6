package output

import (
	"bytes"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/mattn/go-isatty"
)

// Writer writes lines as [Text] returns them. The beginning of a line is kept until the rest
// comes or Flush is called, since a secret may come in parts. Several goroutines may use it.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	line []byte // without its end yet
}

// New returns a Writer that writes to w, or w itself if it is one.
func New(w io.Writer) *Writer {
	if o, ok := w.(*Writer); ok {
		return o
	}
	return &Writer{w: w}
}

// Write writes the lines that p ends, and keeps the rest.
func (o *Writer) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 {
		o.line = append(o.line, p...)
		return len(p), nil
	}
	lines := slices.Concat(o.line, p[:end])
	o.line = bytes.Clone(p[end:])
	var safe bytes.Buffer
	for line := range bytes.Lines(lines) {
		safe.WriteString(Text(string(line)))
	}
	if _, err := o.w.Write(safe.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes an unfinished line.
func (o *Writer) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flush()
}

func (o *Writer) flush() error {
	rest := o.line
	o.line = nil
	if len(rest) == 0 {
		return nil
	}
	_, err := io.WriteString(o.w, Text(string(rest)))
	return err
}

// Red writes s, in red if the Writer leads to a terminal, unless NO_COLOR is set
// (https://no-color.org).
func (o *Writer) Red(s string) error {
	s = Line(s)
	if o.Terminal() != nil && os.Getenv("NO_COLOR") == "" {
		s = "\x1b[31m" + s + "\x1b[0m"
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.flush(); err != nil {
		return err
	}
	_, err := io.WriteString(o.w, s)
	return err
}

// Terminal returns the terminal that the Writer leads to, or nil if there is none, or it
// understands no sequences. Text that is written to it directly is not made safe: it is for the
// sequences of the program itself, and for text from [Line] or [Text].
func (o *Writer) Terminal() *os.File {
	f, ok := o.w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !isatty.IsTerminal(f.Fd()) {
		return nil
	}
	return f
}
