package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// original is a source of one blob that counts how often it was opened, and how far it was read
// the first time.
type original struct {
	data   []byte
	opened atomic.Int32
	closed atomic.Int32
	read   atomic.Int64 // of the first reading
	fail   error        // at the end
}

func (o *original) open(v1.Hash) (io.ReadCloser, error) {
	first := o.opened.Add(1) == 1
	var r io.Reader = bytes.NewReader(o.data)
	if o.fail != nil {
		r = io.MultiReader(r, iotest.ErrReader(o.fail))
	}
	return &watched{r, o, first}, nil
}

type watched struct {
	io.Reader
	o     *original
	first bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if w.first {
		w.o.read.Add(int64(n))
	}
	return n, err
}

func (w *watched) Close() error {
	w.o.closed.Add(1)
	return nil
}

// party makes a spool for n registries, whose directory must be empty once all have closed their
// blobs, and be gone in the end.
func party(t *testing.T, o *original, n int) *spool {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	s, err := newSpool(Source{Open: o.open}, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.close()
		if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the spool has left its directory: %v", err)
		}
	})
	return s
}

// files returns how many files a spool has.
func (s *spool) files(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// consume reads the blob for a registry, in pieces of any size, and compares it.
func consume(t *testing.T, o *original, r io.ReadCloser, random *rand.Rand) {
	t.Helper()
	var got []byte
	for {
		piece := make([]byte, 1+random.IntN(100_000))
		n, err := r.Read(piece)
		got = append(got, piece[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Error(err)
			break
		}
	}
	if !bytes.Equal(got, o.data) {
		t.Errorf("%d bytes were read, which are not the %d of the source", len(got), len(o.data))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// open opens the blob for a registry.
func open(t *testing.T, s *spool) io.ReadCloser {
	t.Helper()
	r, err := s.open(v1.Hash{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSpool reads blobs of several sizes for several registries, side by side: each gets all of it,
// from one reading. The file is there as long as one of them may need it.
func TestSpool(t *testing.T) {
	const piece = 1 << 20
	for _, size := range []int{0, 1, 1000, piece - 1, piece, piece + 1, 5*piece + 7} {
		o := &original{data: make([]byte, size)}
		random := rand.New(rand.NewPCG(1, uint64(size)))
		for n := range o.data {
			o.data[n] = byte(random.Uint32())
		}
		s := party(t, o, 4)
		readers := []io.ReadCloser{open(t, s), open(t, s), open(t, s)}
		var wg sync.WaitGroup
		for n, r := range readers {
			wg.Go(func() { consume(t, o, r, rand.New(rand.NewPCG(2, uint64(n)))) })
		}
		wg.Wait()
		if n := s.files(t); n != 1 {
			t.Errorf("%d files for the one registry that is left", n)
		}
		consume(t, o, open(t, s), random)
		if n := s.files(t); n != 0 || o.opened.Load() != 1 || o.closed.Load() != 1 {
			t.Errorf("%d bytes: %d files are left, opened %d times, closed %d times", size, n, o.opened.Load(), o.closed.Load())
		}
	}
}

// TestSpoolStalled has a registry that stops reading: the other one goes on without it, and it
// reads the rest from the file.
func TestSpoolStalled(t *testing.T) {
	o := &original{data: bytes.Repeat([]byte("0123456789abcdef"), 1<<18)}
	s := party(t, o, 2)
	r := open(t, s)
	first := make([]byte, 5)
	if _, err := io.ReadFull(r, first); err != nil {
		t.Error(err)
	}
	if n := o.read.Load(); n != 5 {
		t.Errorf("%d bytes were read before a registry asked for them", n)
	}
	consume(t, o, open(t, s), rand.New(rand.NewPCG(3, 3)))
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(slices.Concat(first, rest), o.data) {
		t.Errorf("the one left behind got %d bytes, %v", len(first)+len(rest), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if o.opened.Load() != 1 || o.closed.Load() != 1 {
		t.Errorf("opened %d times, closed %d times", o.opened.Load(), o.closed.Load())
	}
}

// TestSpoolLeft has registries that fail in the middle, never ask, or ask once more: who asks for
// what no file has any more reads it alone.
func TestSpoolLeft(t *testing.T) {
	o := &original{data: make([]byte, 3<<20)}
	s := party(t, o, 3)
	broken := open(t, s)
	if _, err := broken.Read(make([]byte, 10)); err != nil {
		t.Error(err)
	}
	if err := broken.Close(); err != nil { // its connection broke off: it begins again
		t.Error(err)
	}
	again, other := open(t, s), open(t, s)
	consume(t, o, again, rand.New(rand.NewPCG(5, 5)))
	if n := s.files(t); n != 1 {
		t.Errorf("%d files while one registry has yet to read", n)
	}
	consume(t, o, other, rand.New(rand.NewPCG(4, 4)))
	if n := s.files(t); n != 0 || o.opened.Load() != 1 || o.closed.Load() != 1 {
		t.Errorf("%d files, opened %d times, closed %d times", n, o.opened.Load(), o.closed.Load())
	}
	consume(t, o, open(t, s), rand.New(rand.NewPCG(6, 6)))
	if o.opened.Load() != 2 || o.closed.Load() != 2 {
		t.Errorf("opened %d times, closed %d times", o.opened.Load(), o.closed.Load())
	}
}

// TestSpoolFails has a source that fails at its start or its end, and one that a run was stopped in.
func TestSpoolFails(t *testing.T) {
	bad := errors.New("another digest")
	o := &original{data: make([]byte, 100), fail: bad}
	s := party(t, o, 2)
	for range 2 {
		r := open(t, s)
		if got, err := io.ReadAll(r); len(got) != 100 || !errors.Is(err, bad) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		defer r.Close()
	}

	s = party(t, &original{}, 2)
	s.source.Open = func(v1.Hash) (io.ReadCloser, error) { return nil, bad }
	for range 2 {
		if _, err := s.open(v1.Hash{}); !errors.Is(err, bad) {
			t.Error(err)
		}
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	s = party(t, &original{}, 2)
	s.source.Open = func(v1.Hash) (io.ReadCloser, error) { return io.NopCloser(stopped{ctx}), nil }
	var wg sync.WaitGroup
	for range 2 {
		r := open(t, s)
		wg.Go(func() {
			if _, err := io.ReadAll(r); !errors.Is(err, bad) {
				t.Errorf("it was stopped, and the error is %v", err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	cancel(bad)
	wg.Wait()
}

// stopped gives nothing until a run is stopped.
type stopped struct{ ctx context.Context } //nolint:containedctx // a test's

func (s stopped) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, context.Cause(s.ctx)
}
