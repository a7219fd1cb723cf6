package airgap

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// TestMemory packs one large layer, stored and compressed, and verifies it, and watches the heap:
// no blob is ever in it.
func TestMemory(t *testing.T) {
	const size = bigLayer
	for _, c := range []struct{ name, magic string }{{"stored", "\x1f\x8b"}, {"compressed", "\x00\x00"}} {
		t.Run(c.name, func(t *testing.T) {
			st, l := demo(t, 100)
			add(t, st, l, "big", newBig(t, c.magic, size))

			var path string
			used := peak(func() { path = pack(t, st, l, t.TempDir(), bundles(t)[5])[0].Path })
			t.Logf("peak heap of packing %d MiB: %d MiB", size>>20, used>>20)
			if limit := int64(128+48*seekable.Cores) << 20; used > limit {
				t.Errorf("packing took %d MiB of heap, want at most %d", used>>20, limit>>20)
			}
			for _, path := range []string{path, recompress(t, path, t.TempDir()+"/again.tar.zst")} {
				used := peak(func() {
					if r := verify(t, path, VerifyOptions{}); len(r.Problems) > 0 {
						t.Error(r.Problems)
					}
				})
				t.Logf("peak heap of verifying it: %d MiB", used>>20)
				// a window of 8 MiB for each frame under way
				if limit := int64(64+8*seekable.Cores) << 20; used > limit {
					t.Errorf("verifying took %d MiB of heap, want at most %d", used>>20, limit>>20)
				}
			}
		})
	}
}

// peak is how many bytes of heap are in use at most while f runs.
func peak(f func()) int64 {
	// Twice: the first collection leaves what pools hold, which would count as in use before and
	// hide as much of what f uses.
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(stop)
	<-watched
	return int64(most - before)
}

// big is a layer that is made as it is read: zeros after a prefix.
type big struct {
	digest v1.Hash
	prefix string
	size   int64
}

func newBig(tb testing.TB, prefix string, size int64) *big {
	tb.Helper()
	b := &big{prefix: prefix, size: size}
	h := sha256.New()
	if _, err := io.Copy(h, b.content()); err != nil {
		tb.Fatal(err)
	}
	b.digest = v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}
	return b
}

func (b *big) content() io.ReadCloser {
	return io.NopCloser(io.MultiReader(strings.NewReader(b.prefix), io.LimitReader(zeros{}, b.size-int64(len(b.prefix)))))
}

func (b *big) Digest() (v1.Hash, error)             { return b.digest, nil }
func (b *big) DiffID() (v1.Hash, error)             { return b.digest, nil }
func (b *big) Compressed() (io.ReadCloser, error)   { return b.content(), nil }
func (b *big) Uncompressed() (io.ReadCloser, error) { return b.content(), nil }
func (b *big) Size() (int64, error)                 { return b.size, nil }
func (b *big) MediaType() (types.MediaType, error)  { return types.OCILayer, nil }
