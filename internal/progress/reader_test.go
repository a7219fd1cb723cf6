package progress

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestReader: what is read is counted, and nothing is read once the context has ended; its cause
// is the error.
func TestReader(t *testing.T) {
	task := New(io.Discard).Start("copy", Bytes, 0)
	defer task.Fail()
	stop := errors.New("stopped by hand")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := Reader(ctx, strings.NewReader("0123456789"), task)
	var four [4]byte
	if _, err := io.ReadFull(r, four[:]); err != nil || string(four[:]) != "0123" {
		t.Fatalf("read %q: %v", four, err)
	}
	if n := task.now.Load(); n != 4 {
		t.Errorf("%d bytes were counted", n)
	}
	cancel(stop)
	if n, err := r.Read(four[:]); n != 0 || !errors.Is(err, stop) {
		t.Errorf("%d bytes after the end, error %v", n, err)
	}
	if b, err := io.ReadAll(Reader(t.Context(), strings.NewReader("x"), nil)); err != nil || string(b) != "x" {
		t.Errorf("without a task: %q, %v", b, err)
	}
}
