package transfer

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
)

// TestCounted reads blobs that turn out at their end not to be what they should be: not all of
// their bytes are given away.
func TestCounted(t *testing.T) {
	data, bad := []byte("0123456789"), errors.New("another digest")
	for name, tt := range map[string]struct {
		r    io.Reader
		want int // bytes, at most
		err  error
	}{
		"complete":               {bytes.NewReader(data), 10, nil},
		"complete, with its end": {iotest.DataErrReader(bytes.NewReader(data)), 10, nil},
		"byte by byte":           {iotest.OneByteReader(bytes.NewReader(data)), 10, nil},
		"error behind":           {io.MultiReader(bytes.NewReader(data), iotest.ErrReader(bad)), 9, bad},
		"error behind, in bytes": {
			iotest.OneByteReader(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(bad))),
			9, bad,
		},
		"file that ends early": {
			io.MultiReader(bytes.NewReader(data[:5]), iotest.ErrReader(io.ErrUnexpectedEOF)), 5,
			io.ErrUnexpectedEOF,
		},
		"error with the last one": {&together{data, bad}, 9, bad},
		"longer":                  {bytes.NewReader(append(data[:10:10], 'x')), 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := &blob{push: &push{shared: &shared{}}, upload: &upload{desc: v1.Descriptor{Size: 10}}}
			b.open = func() (io.ReadCloser, error) { return io.NopCloser(tt.r), nil }
			r, err := b.Compressed()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if ok := tt.err == nil && tt.want == 10; ok != (err == nil) || tt.err != nil && !errors.Is(err, tt.err) ||
				len(got) > tt.want || ok && len(got) != 10 {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if err != nil && !errors.As(err, &network.Unreadable{}) {
				t.Error("it would be tried again")
			}
			if int(b.taken()) != len(got) {
				t.Errorf("%d bytes were counted, %d given", b.taken(), len(got))
			}
		})
	}
}

// TestCountedLate reads for an attempt that is over, as a transport does whose request was answered
// early: the next attempt counts its own bytes.
func TestCountedLate(t *testing.T) {
	b := &blob{push: &push{shared: &shared{}}, upload: &upload{desc: v1.Descriptor{Size: 10}}}
	b.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte("0123456789"))), nil }
	first, err := b.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(second); err != nil || len(got) != 10 || b.taken() != 10 {
		t.Errorf("%d bytes, %d counted, %v", len(got), b.taken(), err)
	}
}

// together gives its bytes and its error at once.
type together struct {
	data []byte
	err  error
}

func (t *together) Read(p []byte) (int, error) { return copy(p, t.data), t.err }
