package deflate_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

// part is what is written at once, and whether a cut precedes it.
type part struct {
	bytes []byte
	cut   bool
}

// text returns bytes that can be compressed, and differ by their seed.
func text(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	words := make([][]byte, 500)
	for i := range words {
		words[i] = []byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())}
	}
	var b []byte
	for len(b) < n {
		b = append(b, words[r.IntN(len(words))]...)
	}
	return b[:n]
}

func raw(parts []part) (all []byte) {
	for _, p := range parts {
		all = append(all, p.bytes...)
	}
	return all
}

// compressed writes parts as gzip. What is known may be nil.
func compressed(t *testing.T, to io.Writer, known *deflate.Known, parts []part) *deflate.Gzip {
	t.Helper()
	z := deflate.NewGzip(to, known)
	for _, p := range parts {
		if p.cut {
			z.Cut()
		}
		if n, err := z.Write(p.bytes); err != nil || n != len(p.bytes) {
			t.Fatalf("%d bytes were written of %d: %v", n, len(p.bytes), err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return z
}

// stored writes parts into a store as the next blob of a series.
func stored(
	t *testing.T, st *store.Store, series string, parts []part,
) (blob v1.Hash, content []byte, z *deflate.Gzip) {
	t.Helper()
	known := deflate.Open(st, series)
	defer known.Close()
	b, err := st.Create()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Abort()
	z = compressed(t, b, known, parts)
	blob, _, err = b.Commit()
	if err == nil {
		err = known.Record(blob, z.Writer)
	}
	if err == nil {
		content, err = os.ReadFile(st.Path(blob))
	}
	if err != nil {
		t.Fatal(err)
	}
	return blob, content, z
}

// streams are those that tests compress.
func streams() map[string][]part {
	const block = 256 << 10
	big := text(1, 5*block+1000)
	changed := slices.Clone(big)
	copy(changed[2*block+70000:], "another line")
	return map[string][]part{
		"empty": {}, "a byte": {{[]byte("x"), false}}, "a block": {{big[:block], false}},
		"a block and a byte": {{big[:block+1], false}}, "big": {{big, false}}, "changed": {{changed, false}},
		"cut":             {{text(2, 700), false}, {big, true}, {text(3, 300), true}},
		"cut at once":     {{nil, true}, {big[:block], true}, {nil, true}, {big[:100], true}},
		"in small pieces": pieces(big, 777),
	}
}

func pieces(b []byte, n int) (all []part) {
	for p := range slices.Chunk(b, n) {
		all = append(all, part{p, false})
	}
	return all
}

// TestStreams: what others decompress is what was written, and bytes depend neither on the number
// of cores nor on what is known.
func TestStreams(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	st := storetest.Open(t)
	for name, parts := range streams() {
		var want []byte
		for _, cores := range []int{1, 2, 7} {
			runtime.GOMAXPROCS(cores)
			var got bytes.Buffer
			compressed(t, &got, nil, parts)
			if want == nil {
				want = got.Bytes()
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s: with %d cores other bytes than with 1", name, cores)
			}
		}
		if _, again, _ := stored(t, st, "all", parts); !bytes.Equal(again, want) {
			t.Errorf("%s: other bytes where blocks are known", name)
		}
		r, err := gzip.NewReader(bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(r); err != nil || !bytes.Equal(plain, raw(parts)) {
			t.Errorf("%s: decompressed to %d bytes, want %d: %v", name, len(plain), len(raw(parts)), err)
		}
	}
	if big, small := streams()["big"], streams()["in small pieces"]; !bytes.Equal(raw(big), raw(small)) {
		t.Fatal("the streams differ")
	}
}

// TestFormat: other bytes than those of before are another format, or a store that has blocks of
// both would make releases that nobody can make again.
func TestFormat(t *testing.T) {
	var got bytes.Buffer
	compressed(t, &got, nil, streams()["changed"])
	const format, want = 1, "07a99d5e8670d390c6eba37f4b545ae9dea6cad92202da6310e7e9f95c0ffc60"
	if sum := fmt.Sprintf("%x", sha256.Sum256(got.Bytes())); sum != want || deflate.Format != format {
		t.Errorf("format %d gives bytes with the SHA-256 %s, and format %d those with %s: "+
			"where the bytes are others, change Format, and both here", deflate.Format, sum, format, want)
	}
}

// TestAnyOrder: a compressor that was used before gives the bytes of a new one.
func TestAnyOrder(t *testing.T) {
	first := map[string][]byte{}
	r := rand.New(rand.NewPCG(7, 7))
	all := streams()
	names := slices.Sorted(maps.Keys(all))
	for range 40 {
		name := names[r.IntN(len(names))]
		deflate.Forget() // nothing that was compressed lately
		var got bytes.Buffer
		compressed(t, &got, nil, all[name])
		if want, ok := first[name]; ok && !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: other bytes than the first time", name)
		}
		first[name] = got.Bytes()
	}
}

// TestOnce: two streams that have the same blocks at the same time compress them once.
func TestOnce(t *testing.T) {
	deflate.Forget()
	parts := streams()["big"]
	before := deflate.Blocks()
	done := make(chan struct{})
	go func() {
		defer close(done)
		compressed(t, io.Discard, nil, parts)
	}()
	compressed(t, io.Discard, nil, parts)
	<-done
	if got := deflate.Blocks() - before; got != 6 {
		t.Errorf("%d blocks were compressed, want 6", got)
	}
}

// TestLately: what is kept in memory is bounded.
func TestLately(t *testing.T) {
	deflate.Forget()
	compressed(t, io.Discard, nil, []part{{noise(40 << 20), false}})
	if got := deflate.Kept(); got > 16<<20 || got < 8<<20 {
		t.Errorf("%d bytes are kept, want at most 16 MiB, and not much less", got)
	}
}

// noise cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	c := rand.NewChaCha8([32]byte{1})
	c.Read(b) //nolint:errcheck // it has no errors
	return b
}

// full is a disk with no room.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestFull: an error of the writer below is that of Write and of Close, and ends what runs.
func TestFull(t *testing.T) {
	for _, room := range []int{0, 10, 1000, 100_000, 1 << 20} {
		z := deflate.NewGzip(&full{room}, nil)
		var err error
		for range 100 {
			if _, err = z.Write(noise(100_000)); err != nil {
				break
			}
		}
		if closed := z.Close(); !errors.Is(closed, errFull) {
			t.Errorf("room for %d bytes: Close returns %v", room, closed)
		}
		if !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: the error is %v", room, err)
		}
	}
}

// FuzzStream compares with what another implementation decompresses.
func FuzzStream(f *testing.F) {
	f.Add([]byte("some text, some text"), uint16(3), uint16(40))
	f.Fuzz(func(t *testing.T, b []byte, cut, times uint16) {
		var parts []part
		for n := range int(times%512) + 1 {
			parts = append(parts, part{b, cut > 0 && n%int(cut) == 0})
		}
		var got bytes.Buffer
		z := deflate.NewWriter(&got, nil)
		for _, p := range parts {
			if p.cut {
				z.Cut()
			}
			if _, err := z.Write(p.bytes); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(flate.NewReader(&got))
		if err != nil || !bytes.Equal(plain, raw(parts)) {
			t.Errorf("decompressed to %d bytes, want %d: %v", len(plain), len(raw(parts)), err)
		}
	})
}
