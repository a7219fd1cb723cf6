package layer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// compressions are those with reproducible output.
var compressions = []layer.Compression{layer.Gzip, layer.Zstd}

// TestSameBytes checks that a layer does not depend on the number of cores, the order of
// entries or the directory of the store.
func TestSameBytes(t *testing.T) {
	exe := layer.Bytes(some(t))
	entries := append(tree(), layer.Entry{Path: "/exe", Mode: 0o755, Content: exe},
		layer.Entry{Path: "/exe.again", Mode: 0o755, Content: exe})
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	counts := []int{1, 2, 8}
	if extent.All() {
		counts = []int{1, 2, 3, 4, 5, 6, 7, 8}
	}
	for _, z := range compressions {
		for _, system := range []string{"linux", "windows"} {
			t.Run(string(z)+" "+system, func(t *testing.T) {
				var want layer.Layer
				for _, cores := range counts {
					runtime.GOMAXPROCS(cores)
					order := entries
					if cores > 1 {
						order = shuffled(entries, uint64(cores))
					}
					got := write(t, storetest.Open(t), order, layer.Options{OS: system, Compression: z})
					if cores == 1 {
						want = got
					}
					if got != want {
						t.Fatalf("with %d cores %+v, with one %+v", cores, got, want)
					}
				}
			})
		}
	}
}

// TestOptionsShow checks that options which should change a layer do so.
func TestOptionsShow(t *testing.T) {
	st := storetest.Open(t)
	seen := map[string]string{}
	for _, o := range []layer.Options{
		{},
		{OS: "windows"},
		{Compression: layer.Zstd},
		{ModTime: layer.Epoch},
		{ModTime: layer.Epoch.Add(time.Nanosecond)},
	} {
		l := write(t, st, tree(), o)
		name := fmt.Sprintf("%+v", o)
		if other, ok := seen[l.Digest.Hex]; ok {
			t.Errorf("options %s and %s give one layer", other, name)
		}
		seen[l.Digest.Hex] = name
	}
	if a, b := write(t, st, tree(), layer.Options{}),
		write(t, st, tree(), layer.Options{OS: "linux", Compression: layer.Gzip, ModTime: time.Unix(0, 0)}); a != b {
		t.Errorf("the defaults give %+v, and named %+v", a, b)
	}
}

// TestWrittenOnce checks that writing a layer that the store has reads no content, and that a
// lost layer is rebuilt.
func TestWrittenOnce(t *testing.T) {
	for _, z := range compressions {
		t.Run(string(z), func(t *testing.T) {
			st := storetest.Open(t)
			var opened atomic.Int32
			counted := func(b []byte) layer.Content {
				c := layer.Bytes(b)
				from := c.Open
				c.Open = func() (io.ReadCloser, error) { opened.Add(1); return from() }
				return c
			}
			entries := []layer.Entry{
				{Path: "/a", Content: counted([]byte("a"))},
				{Path: "/b", Content: counted([]byte("b"))},
			}
			o := layer.Options{Compression: z}
			first := write(t, st, entries, o)
			if n := opened.Swap(0); n != 2 {
				t.Errorf("the first time files were opened %d times, want 2", n)
			}
			if again := write(t, st, []layer.Entry{entries[1], entries[0]}, o); again != first {
				t.Errorf("the second time %+v, the first %+v", again, first)
			}
			if n := opened.Swap(0); n != 0 {
				t.Errorf("the second time files were opened %d times", n)
			}
			if err := os.Remove(st.Path(first.Digest)); err != nil {
				t.Fatal(err)
			}
			if again := write(t, st, entries, o); again != first || !st.Has(first.Digest) {
				t.Errorf("after the blob was lost %+v, before %+v", again, first)
			}
			entries[0].Content = counted([]byte("c"))
			if other := write(t, st, entries, o); other.DiffID == first.DiffID {
				t.Error("a changed file gives the old layer")
			}
		})
	}
}

// TestUnknownDigest checks that content without a known digest is read each time, because
// nothing else shows whether it has changed.
func TestUnknownDigest(t *testing.T) {
	st := storetest.Open(t)
	text := "one"
	c := layer.Content{Size: 3, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewBufferString(text)), nil
	}}
	first := write(t, st, []layer.Entry{{Path: "/a", Content: c}}, layer.Options{})
	text = "two"
	if second := write(t, st, []layer.Entry{{Path: "/a", Content: c}}, layer.Options{}); second.DiffID == first.DiffID {
		t.Error("the second content is not seen")
	}
}

func TestFile(t *testing.T) {
	st := storetest.Open(t)
	path := filepath.Join(t.TempDir(), "file")
	content := func() layer.Content {
		t.Helper()
		c, err := layer.File(st, path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	put := func(s string, at time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(s), 0o644), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	put("content", old)
	if c, want := content(), layer.Bytes([]byte("content")); c.Digest != want.Digest || c.Size != want.Size {
		t.Errorf("the file is %s of %d bytes, want %s of %d", c.Digest, c.Size, want.Digest, want.Size)
	}
	// Equal size and modification time do not imply equal bytes: some tools
	// set the time to a constant.
	before := content()
	put("CONTENT", old)
	if c := content(); c.Digest != layer.Bytes([]byte("CONTENT")).Digest {
		t.Error("other bytes of the same size and time are not seen")
	}
	// A layer is refused if the file differs from its announced content.
	if _, err := layer.Write(t.Context(), st, []layer.Entry{{Path: "/file", Content: before}},
		layer.Options{}); err == nil || !strings.Contains(err.Error(), path+" has digest") {
		t.Errorf("a layer of the changed file: %v", err)
	}
	// A file that has just been written may change again within one tick of the
	// clock, so its digest is not remembered. An hour in the future is recent enough
	// on any machine, however slow.
	soon := time.Now().Add(time.Hour)
	put("fresh 1", soon)
	content()
	put("fresh 2", soon)
	if c := content(); c.Digest != layer.Bytes([]byte("fresh 2")).Digest {
		t.Error("a fresh file's digest was remembered")
	}

	if _, err := layer.File(st, t.TempDir()); err == nil {
		t.Error("a directory is taken for a file")
	}
	if _, err := layer.File(st, path+".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
}

// shuffled reorders entries, but keeps the order of those with the same
// path, of which the last wins.
func shuffled(entries []layer.Entry, seed uint64) []layer.Entry {
	last := map[string]layer.Entry{}
	var paths []string
	for _, e := range entries {
		if _, ok := last[e.Path]; !ok {
			paths = append(paths, e.Path)
		}
		last[e.Path] = e
	}
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	var out []layer.Entry
	for _, p := range paths {
		out = append(out, last[p])
	}
	return out
}

// some returns the beginning of this test's own binary: bytes typical of images of Go
// programs, and more than the compressors process at a time.
func some(t *testing.T) []byte {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 5<<19))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
