package output

import (
	"bytes"
	"cmp"
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
	err  error  // of the first write that failed
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
	if err := o.write(safe.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write writes safe text.
func (o *Writer) write(safe []byte) error {
	_, err := o.w.Write(safe)
	o.err = cmp.Or(o.err, err)
	return err
}

// Flush writes an unfinished line, and returns the error of the first write that failed, then or
// before: what prints a report in many lines need not look at each.
func (o *Writer) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush() //nolint:errcheck // it is kept
	return o.err
}

func (o *Writer) flush() error {
	rest := o.line
	o.line = nil
	if len(rest) == 0 {
		return nil
	}
	return o.write([]byte(Text(string(rest))))
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
	return o.write([]byte(s))
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
