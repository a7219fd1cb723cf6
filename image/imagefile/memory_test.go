package imagefile_test

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestMemory takes an archive with a layer of 200 MiB, which is compressed on the way: it is not
// kept in memory.
func TestMemory(t *testing.T) {
	const size, limit = 200 << 20, 48 << 20
	diff := sha256.New()
	_, err := io.CopyN(diff, zeros{}, size)
	must(t, err)
	config := fmt.Sprintf(`{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%x"]}}`,
		diff.Sum(nil))
	file := filepath.Join(t.TempDir(), "app.tar")
	out, err := os.Create(file)
	must(t, err)
	p := &pack{tb: t, w: tar.NewWriter(out)}
	p.file("c.json", config).file("manifest.json", manifestJSON(t, entry{"c.json", nil, []string{"l.tar"}}))
	must(t, p.w.WriteHeader(&tar.Header{Name: "l.tar", Typeflag: tar.TypeReg, Mode: 0o644, Size: size}))
	_, err = io.CopyN(p.w, zeros{}, size)
	must(t, err)
	must(t, p.w.Close())
	must(t, out.Close())

	st := storetest.Open(t)
	runtime.GC()
	before := heap()
	peak, stop := make(chan uint64), make(chan struct{})
	go func() {
		most := uint64(0)
		for {
			most = max(most, heap())
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f, err := open(t, "docker-archive:"+file, st)
	must(t, err)
	i, err := f.Image(parse(t, "linux/amd64"))
	must(t, err)
	_, err = i.Put(context.Background(), st)
	must(t, err)
	close(stop)
	most := <-peak
	if used := most - min(most, before); used > limit {
		t.Errorf("it took %d MiB of memory, want at most %d", used>>20, limit>>20)
	} else {
		t.Logf("%d MiB of memory", used>>20)
	}
}

func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
