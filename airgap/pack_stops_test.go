package airgap

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// TestDamagedStore: a blob that has changed on disk does not get into a bundle, and no file
// appears.
func TestDamagedStore(t *testing.T) {
	st, l := demo(t, 100_000)
	i, err := st.Image(l.Images[1].Children[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	path := st.Path(m.Layers[0].Digest)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, err = Pack(t.Context(), st, l, bundles(t)[5:], PackOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "is damaged: "+path) {
		t.Errorf("error %v", err)
	}
	empty(t, dir)
}

// TestCancel cancels when packing comes to the last layer, which is long: nothing is left of the
// file that was begun.
func TestCancel(t *testing.T) {
	p, pl := bigPacker(t)
	p.dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	open, last := p.open, pl.layers[len(pl.layers)-1].Digest
	p.open = func(h v1.Hash) (io.ReadCloser, error) {
		if h == last {
			if begun, err := os.ReadDir(p.dir); err != nil || len(begun) != 1 {
				t.Errorf("packing is under way, and in the directory are %v %v", begun, err)
			}
			cancel()
		}
		return open(h)
	}
	if _, err := p.pack(ctx, pl); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	empty(t, p.dir)
}

// bigPacker is a packer of a bundle with a layer that takes a while.
func bigPacker(t *testing.T) (*packer, *plan) {
	t.Helper()
	st, l := demo(t, 100)
	add(t, st, l, "big", newBig(t, "\x1f\x8b", min(256<<20, bigLayer)))
	plans, err := newPlans(st, l, bundles(t)[5:], "", false)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := seekable.NewEncoders()
	if err != nil {
		t.Fatal(err)
	}
	return &packer{st: st, open: fromStore(st), lock: l, enc: enc}, plans[0]
}

// TestStops: a disk that is full and a context that ends stop the packer at once, whatever is
// still to be read.
func TestStops(t *testing.T) {
	p, pl := bigPacker(t)
	full := errors.New("the disk is full")
	if err := p.stream(t.Context(), &sink{limit: 1 << 10, full: func() error { return full }}, pl, []byte("[]"), []byte("{}")); !errors.Is(err, full) {
		t.Errorf("error %v, want that the disk is full", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{limit: 1 << 10, full: func() error { cancel(); return nil }}
	if err := p.stream(ctx, s, pl, []byte("[]"), []byte("{}")); !errors.Is(err, context.Canceled) {
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

func empty(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("left in the directory: %v %v", files, err)
	}
}
