package airgap

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestDigestOf: the digest is that of all bytes, whatever the pieces they come in, and an error
// is passed on as it is.
func TestDigestOf(t *testing.T) {
	data := make([]byte, 3*pieces*piece+7)
	rand.NewChaCha8([32]byte{}).Read(data) //nolint:errcheck // it has no errors
	for _, n := range []int{0, 1, piece - 1, piece, piece + 1, pieces * piece, pieces*piece + 1, len(data)} {
		want, _, err := v1.SHA256(bytes.NewReader(data[:n]))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"whole":             bytes.NewReader(data[:n]),
			"in halves":         iotest.HalfReader(bytes.NewReader(data[:n])),
			"the end with data": iotest.DataErrReader(bytes.NewReader(data[:n])),
		} {
			if got, err := digestOf(r); err != nil || got != want {
				t.Errorf("%d bytes, %s: %v, %v, want %v", n, name, got, err, want)
			}
		}
		for _, want := range []error{io.ErrUnexpectedEOF, errors.New("broken")} {
			// as it is
			if got, err := digestOf(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(want))); err != want || got != (v1.Hash{}) { //nolint:errorlint
				t.Errorf("%d bytes, then %v: %v, %v", n, want, got, err)
			}
		}
	}
}
