package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestWriter(t *testing.T) {
	forget(t)
	Secret("hunter2hunter2")
	var out strings.Builder
	w := New(&out)
	if New(w) != w {
		t.Error("a Writer was put before a Writer")
	}
	for _, part := range []string{"the password is hun", "ter2hun", "ter2\nand \x1b", "[2J"} {
		if n, err := io.WriteString(w, part); n != len(part) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	if out.String() != "the password is [redacted]\n" {
		t.Errorf("before Flush: %q", out.String())
	}
	if err := errors.Join(w.Flush(), w.Flush()); err != nil {
		t.Error(err)
	}
	if out.String() != "the password is [redacted]\nand \\x1b[2J" {
		t.Errorf("after Flush: %q", out.String())
	}
}

func TestWriterConcurrently(t *testing.T) {
	var out strings.Builder
	w := New(&out)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				fmt.Fprintln(w, "a line")
			}
		})
	}
	wg.Wait()
	if out.String() != strings.Repeat("a line\n", 800) {
		t.Errorf("%q", out.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriterReportsErrors(t *testing.T) {
	w := New(full{})
	if _, err := io.WriteString(w, "a line\n"); err == nil {
		t.Error("Write succeeded")
	}
	if _, err := io.WriteString(w, "a part"); err != nil {
		t.Errorf("what is kept: %v", err)
	}
	if err := w.Flush(); err == nil {
		t.Error("Flush succeeded")
	}
	if err := w.Red("error"); err == nil {
		t.Error("Red succeeded")
	}
}

func TestNoTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if New(f).Terminal() != nil || New(io.Discard).Terminal() != nil {
		t.Error("a file is taken for a terminal")
	}
	if err := New(f).Red("error:"); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(f.Name()); string(b) != "error:" || err != nil {
		t.Errorf("colors in a file: %q, %v", b, err)
	}
}
