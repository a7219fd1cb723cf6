package bundletest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Peak is how many bytes of heap are in use at most while f runs, by what the garbage collector
// finds alive. Garbage does not count: on a busy machine, or with another GOGC, there is more of
// it.
func Peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // often
	// Twice: the first collection leaves what pools hold, which would count as in use before and
	// hide as much of what f uses.
	runtime.GC()
	runtime.GC()
	before := alive()
	most := before
	stop := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, alive())
			}
		}
	}()
	f()
	close(stop)
	<-watched
	return max(most, alive()) - before
}

// alive is how many bytes the last collection has found in use.
func alive() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// Big is a layer that is made as it is read: zeros after a prefix.
type Big struct {
	digest v1.Hash
	prefix string
	size   int64
}

// NewBig returns a layer of size bytes that begins with prefix.
func NewBig(tb testing.TB, prefix string, size int64) *Big {
	tb.Helper()
	b := &Big{prefix: prefix, size: size}
	h := sha256.New()
	if _, err := io.Copy(h, b.Content()); err != nil {
		tb.Fatal(err)
	}
	b.digest = v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}
	return b
}

// Content reads the layer.
func (b *Big) Content() io.ReadCloser {
	return io.NopCloser(io.MultiReader(strings.NewReader(b.prefix),
		io.LimitReader(Zeros{}, b.size-int64(len(b.prefix)))))
}

// Digest implements v1.Layer.
func (b *Big) Digest() (v1.Hash, error) { return b.digest, nil }

// DiffID implements v1.Layer.
func (b *Big) DiffID() (v1.Hash, error) { return b.digest, nil }

// Compressed implements v1.Layer.
func (b *Big) Compressed() (io.ReadCloser, error) { return b.Content(), nil }

// Uncompressed implements v1.Layer.
func (b *Big) Uncompressed() (io.ReadCloser, error) { return b.Content(), nil }

// Size implements v1.Layer.
func (b *Big) Size() (int64, error) { return b.size, nil }

// MediaType implements v1.Layer.
func (b *Big) MediaType() (types.MediaType, error) { return types.OCILayer, nil }
