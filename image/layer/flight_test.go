package layer_test

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/store"
)

// TestWriteTogether writes one layer concurrently for several children of an index. Its
// files must be read and compressed once.
func TestWriteTogether(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var opened atomic.Int64
	c := layer.Bytes(bytes.Repeat([]byte("slipway "), 1<<20))
	c.Open = func() (io.ReadCloser, error) {
		opened.Add(1)
		return io.NopCloser(bytes.NewReader(bytes.Repeat([]byte("slipway "), 1<<20))), nil
	}
	var wg sync.WaitGroup
	begin := make(chan struct{})
	got := make([]layer.Layer, 8)
	for n := range got {
		wg.Go(func() {
			<-begin
			l, err := layer.Write(context.Background(), st, []layer.Entry{{Path: "/a", Content: c}}, layer.Options{})
			if err != nil {
				t.Error(err)
			}
			got[n] = l
		})
	}
	close(begin)
	wg.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("the file was read %d times", n)
	}
	for _, l := range got {
		if l != got[0] {
			t.Errorf("layers %+v and %+v", l, got[0])
		}
	}
}
