package subprocess

import (
	"bytes"
	"io"
)

// Bound keeps what a program writes, up to Max bytes. A program that writes more fails, and End
// is called, unless it is nil. No buffer is embedded, since its ReadFrom would have no bound.
type Bound struct {
	Max  int
	End  func()
	Text []byte
	Full bool // it wrote more
}

// Write keeps p, or fails.
func (b *Bound) Write(p []byte) (int, error) {
	if b.Full || len(b.Text)+len(p) > b.Max {
		if b.Full = true; b.End != nil {
			b.End()
		}
		return 0, io.ErrShortWrite
	}
	b.Text = append(b.Text, p...)
	return len(p), nil
}

// Tail keeps the end of what a program writes, which usually has the reason for its failure.
type Tail struct{ text []byte }

// maxTail is how many bytes of it a [Tail] keeps.
const maxTail = 2048

// Write keeps the end of p.
func (t *Tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-maxTail):]...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

// Line returns the last line that is not empty, with any characters: package output makes it safe
// to print.
func (t *Tail) Line() string {
	text := bytes.TrimSpace(t.text)
	return string(bytes.TrimSpace(text[bytes.LastIndexAny(text, "\r\n")+1:]))
}
