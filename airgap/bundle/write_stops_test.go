package bundle_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/store"
)

// TestCancel cancels when packing comes to the last layer, which is long: nothing is left of the
// file that was begun.
func TestCancel(t *testing.T) {
	st, l := bigLayout(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	layers := l.Layers()
	w, err := bundle.NewWriter(func(h v1.Hash) (io.ReadCloser, error) {
		if h == layers[len(layers)-1].Digest {
			if begun, err := os.ReadDir(dir); err != nil || len(begun) != 1 {
				t.Errorf("packing is under way, and in the directory are %v %v", begun, err)
			}
			cancel()
		}
		return st.Open(h)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(ctx, l, filepath.Join(dir, "big.tar.zst"), "", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	bundletest.Empty(t, dir)
}

// bigLayout is a bundle with a layer that takes a while, and the store that has it.
func bigLayout(t *testing.T) (*store.Store, *bundle.Layout) {
	t.Helper()
	st, l := bundletest.Demo(t, 100)
	bundletest.Add(t, st, l, "big", bundletest.NewBig(t, "\x1f\x8b", min(256<<20, bigLayer)))
	layout, err := bundle.NewLayout(bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0].Contents)
	if err != nil {
		t.Fatal(err)
	}
	return st, layout
}

// TestStops: a disk that is full and a context that ends stop the packer at once, whatever is
// still to be read.
func TestStops(t *testing.T) {
	st, l := bigLayout(t)
	w, err := bundle.NewWriter(st.Open)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	if err := w.Stream(t.Context(), &sink{limit: 1 << 10, full: func() error { return full }}, l); !errors.Is(err,
		full) {
		t.Errorf("error %v, want that the disk is full", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{limit: 1 << 10, full: func() error { cancel(); return nil }}
	if err := w.Stream(ctx, s, l); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	// The zeros of big are stored in frames of a few dozen bytes; all of them would be more.
	if s.frames > 4*seekable.Cores+20 {
		t.Errorf("%d frames were written, though the context had ended", s.frames)
	}
}

// sink is a disk on which something happens when limit bytes are on it.
type sink struct {
	n, limit, frames int
	full             func() error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.n += len(p); s.n > s.limit {
		s.frames++
		if err := s.full(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
