package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// original is a source that counts how often it was opened, and how far it was read the first time.
type original struct {
	data   []byte
	opened atomic.Int32
	closed atomic.Int32
	read   atomic.Int64 // of the first reading
	fail   error        // at the end
}

func (o *original) open() (io.ReadCloser, error) {
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

// party makes a tee for n destinations.
func party(o *original, n int) (*tee, []*push) {
	t := newTee(o.open, int64(len(o.data)), time.Minute, make(chan struct{}, 1))
	var all []*push
	for range n {
		p := &push{}
		all, t.awaited[p] = append(all, p), true
	}
	return t, all
}

// consume reads the blob for a destination, in pieces of any size, and compares it.
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

// TestTee reads blobs of several sizes for several destinations, of which one needs no bytes: each
// gets all of it, from one reading.
func TestTee(t *testing.T) {
	for _, size := range []int{0, 1, 1000, window - 1, window, window + 1, 5*window + 7} {
		synctest.Test(t, func(t *testing.T) {
			o := &original{data: make([]byte, size)}
			random := rand.New(rand.NewPCG(1, uint64(size)))
			for n := range o.data {
				o.data[n] = byte(random.Uint32())
			}
			tee, all := party(o, 4)
			var wg sync.WaitGroup
			for n, p := range all[1:] {
				wg.Go(func() {
					r, err := tee.join(t.Context(), p)
					if err != nil {
						t.Error(err)
						return
					}
					consume(t, o, r, rand.New(rand.NewPCG(2, uint64(n))))
				})
			}
			synctest.Wait()
			if o.opened.Load() != 0 {
				t.Error("it began before every destination had asked")
			}
			tee.leave(all[0])
			wg.Wait()
			if o.opened.Load() != 1 || o.closed.Load() != 1 {
				t.Errorf("%d bytes: opened %d times, closed %d times", size, o.opened.Load(), o.closed.Load())
			}
		})
	}
}

// TestTeeStalled has a destination that stops reading: the others are never more than a window
// ahead, go on without it after a while, and it reads the rest for itself.
func TestTeeStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &original{data: bytes.Repeat([]byte("0123456789abcdef"), window/4)}
		tee, all := party(o, 2)
		goOn := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			r, err := tee.join(t.Context(), all[0])
			if err != nil {
				t.Error(err)
				return
			}
			first := make([]byte, 5)
			if _, err := io.ReadFull(r, first); err != nil {
				t.Error(err)
			}
			<-goOn
			rest, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(slices.Concat(first, rest), o.data) {
				t.Errorf("the one left behind got %d bytes, %v", len(first)+len(rest), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			r, err := tee.join(t.Context(), all[1])
			if err != nil {
				t.Error(err)
				return
			}
			consume(t, o, r, rand.New(rand.NewPCG(3, 3)))
			close(goOn)
		})
		synctest.Wait()
		if n := o.read.Load(); n != window+5 {
			t.Errorf("%d bytes were read while one stalled, a window has %d", n, window)
		}
		wg.Wait()
		if !all[0].late.Load() || all[1].late.Load() || o.opened.Load() != 2 || o.closed.Load() != 2 {
			t.Errorf("late %v and %v, opened %d times, closed %d times", all[0].late.Load(), all[1].late.Load(),
				o.opened.Load(), o.closed.Load())
		}
	})
}

// TestTeeLeft has destinations that fail in the middle, never ask, or ask once more.
func TestTeeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &original{data: make([]byte, 3*window)}
		tee, all := party(o, 3)
		var wg sync.WaitGroup
		wg.Go(func() {
			r, err := tee.join(t.Context(), all[0])
			if err != nil {
				t.Error(err)
				return
			}
			consume(t, o, r, rand.New(rand.NewPCG(4, 4)))
		})
		wg.Go(func() {
			r, err := tee.join(t.Context(), all[1])
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := r.Read(make([]byte, 10)); err != nil {
				t.Error(err)
			}
			if err := r.Close(); err != nil { // its connection broke off: it begins again
				t.Error(err)
			}
			if r, err = tee.join(t.Context(), all[1]); err != nil {
				t.Error(err)
				return
			}
			consume(t, o, r, rand.New(rand.NewPCG(5, 5)))
		})
		wg.Wait() // as long as it takes to give up waiting for the third
		if !all[2].late.Load() {
			t.Error("who never asked is still waited for")
		}
		r, err := tee.join(t.Context(), all[2])
		if err != nil {
			t.Fatal(err)
		}
		consume(t, o, r, rand.New(rand.NewPCG(6, 6)))
		if o.opened.Load() != 3 || o.closed.Load() != 3 {
			t.Errorf("opened %d times, closed %d times", o.opened.Load(), o.closed.Load())
		}
	})
}

// TestTeeFails has a source that fails at its start or its end, and a run that is stopped.
func TestTeeFails(t *testing.T) {
	bad := errors.New("another digest")
	synctest.Test(t, func(t *testing.T) {
		o := &original{data: make([]byte, 100), fail: bad}
		tee, all := party(o, 2)
		var wg sync.WaitGroup
		for _, p := range all {
			wg.Go(func() {
				r, err := tee.join(t.Context(), p)
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				if got, err := io.ReadAll(r); len(got) != 100 || !errors.Is(err, bad) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
		wg.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		tee, all := party(&original{}, 2)
		tee.open = func() (io.ReadCloser, error) { return nil, bad }
		var wg sync.WaitGroup
		for _, p := range all {
			wg.Go(func() {
				if _, err := tee.join(t.Context(), p); !errors.Is(err, bad) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		o := &original{data: make([]byte, 2*window)}
		tee, all := party(o, 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			r, err := tee.join(ctx, all[0])
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			if _, err := io.ReadAll(r); !errors.Is(err, bad) {
				t.Errorf("it was stopped, and the error is %v", err)
			}
		})
		r, err := tee.join(ctx, all[1])
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel(bad)
		wg.Wait()
		if err := r.Close(); err != nil || o.closed.Load() != 1 {
			t.Errorf("closed %d times, %v", o.closed.Load(), err)
		}
	})
}
