package layer_test

import (
	"io"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestMemory checks that writing a layer of 1 GiB does not keep it in memory.
func TestMemory(t *testing.T) {
	extent.Long(t, "measures the memory of large layers")
	const limit = 64 << 20
	size := int64(1 << 30)
	for _, z := range compressions {
		t.Run(string(z), func(t *testing.T) {
			st := storetest.Open(t)
			runtime.GC()
			before, peak := heap(), uint64(0)
			c := layer.Content{Size: size, Open: func() (io.ReadCloser, error) {
				return &synthetic{left: size, every: func() { peak = max(peak, heap()) }}, nil
			}}
			l := write(t, st, []layer.Entry{{Path: "/big", Mode: 0o644, Content: c}}, layer.Options{Compression: z})
			if used := peak - min(peak, before); used > limit {
				t.Errorf("writing %d MiB took %d MiB of memory, want at most %d", size>>20, used>>20, limit>>20)
			} else {
				t.Logf("%d MiB of memory, blob of %d KiB", used>>20, l.Size>>10)
			}
		})
	}
}

func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}

// synthetic is content that compresses well, to save time and disk space. It
// calls every after each 16 MiB.
type synthetic struct {
	left, since int64
	every       func()
}

func (s *synthetic) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if s.since += int64(len(p)); s.since >= 16<<20 {
		s.since = 0
		s.every()
	}
	p = p[:min(int64(len(p)), s.left)]
	s.left -= int64(len(p))
	for i := 0; i < len(p); i += 4096 {
		p[i] = byte(s.left >> 12)
	}
	return len(p), nil
}

func (s *synthetic) Close() error { return nil }
