package bundle_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// BenchmarkVerify verifies a bundle of one large layer: one that was compressed already, which is
// stored, and one that compresses to a third, as programs do.
func BenchmarkVerify(b *testing.B) {
	const size = 64 << 20
	random := rand.NewChaCha8([32]byte{})
	for _, c := range []struct {
		name    string
		content io.Reader
	}{
		{"stored", io.MultiReader(strings.NewReader("\x1f\x8b"), random)},
		{"compressed", newText(random)},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := make([]byte, size)
			if _, err := io.ReadFull(c.content, data); err != nil {
				b.Fatal(err)
			}
			st, l := bundletest.Demo(b, 100)
			bundletest.Add(b, st, l, "big", static.NewLayer(data, types.OCILayer))
			path := bundletest.Pack(b, st, l, b.TempDir(), bundletest.Targets(b)[5])[0].Path
			b.SetBytes(size)
			for b.Loop() {
				if r, err := bundle.Verify(b.Context(), path, bundle.VerifyOptions{}); err != nil ||
					len(r.Problems) > 0 {
					b.Fatal(err, r)
				}
			}
		})
	}
}

// text is some thousand words without end, in no order.
type text struct {
	random *rand.ChaCha8
	words  [4096][]byte
	left   []byte // of the last word
}

func newText(random *rand.ChaCha8) *text {
	t := &text{random: random}
	for n := range t.words {
		t.words[n] = make([]byte, 3+n%13)
		random.Read(t.words[n]) //nolint:errcheck // it has no errors
	}
	return t
}

func (t *text) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		if len(t.left) == 0 {
			t.left = t.words[t.random.Uint64()%uint64(len(t.words))]
		}
		m := copy(p[n:], t.left)
		t.left = t.left[m:]
		n += m
	}
	return len(p), nil
}
