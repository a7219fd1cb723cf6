package inventory

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// faulty fails at one of its reads.
type faulty struct {
	*bytes.Reader
	left int
}

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left == 0 {
		return 0, syscall.EIO
	}
	return f.Reader.ReadAt(p, off)
}

// TestFaultyDisk: a program that cannot be read is not one without build information, whichever
// read fails.
func TestFaultyDisk(t *testing.T) {
	text, err := os.ReadFile(os.Args[0]) // this test is a Go program
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		r := &faulty{bytes.NewReader(text), n}
		p, err := examine(r, v1.Hash{}, int64(len(text)), nil)
		if r.left > 0 {
			if err != nil || p.Go == "" || n < 5 {
				t.Errorf("without a fault, after %d reads: %v, %q", n-1, err, p.Go)
			}
			return
		}
		if !errors.Is(err, syscall.EIO) {
			t.Fatalf("read %d failed: %v, and the program is of %q", n, err, p.Go)
		}
	}
}
