package bundle_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/slipway-dev/slipway/airgap/bundle"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestDigestOf: the digest is that of all bytes, whatever the pieces they come in, and an error
// is passed on as it is.
func TestDigestOf(t *testing.T) {
	data := make([]byte, 3*bundle.Chunks*bundle.ChunkSize+7)
	rand.NewChaCha8([32]byte{}).Read(data) //nolint:errcheck // it has no errors
	for _, n := range []int{
		0, 1, bundle.ChunkSize - 1, bundle.ChunkSize,
		bundle.ChunkSize + 1, bundle.Chunks * bundle.ChunkSize, bundle.Chunks*bundle.ChunkSize + 1, len(data),
	} {
		want, _, err := v1.SHA256(bytes.NewReader(data[:n]))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"whole":             bytes.NewReader(data[:n]),
			"in halves":         iotest.HalfReader(bytes.NewReader(data[:n])),
			"the end with data": iotest.DataErrReader(bytes.NewReader(data[:n])),
		} {
			if got, err := bundle.DigestOf(r); err != nil || got != want {
				t.Errorf("%d bytes, %s: %v, %v, want %v", n, name, got, err, want)
			}
		}
		for _, want := range []error{io.ErrUnexpectedEOF, errors.New("broken")} {
			if got, err := bundle.DigestOf(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(want))); err != want || got != (v1.Hash{}) { //nolint:errorlint // as it is
				t.Errorf("%d bytes, then %v: %v, %v", n, want, got, err)
			}
		}
	}
}
