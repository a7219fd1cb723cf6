package bundle_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestFrames holds the zstd frames against the seek table, and zstd and another implementation of
// the seekable format against both.
func TestFrames(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 100)
	// 2 MiB of noise five times: an encoder must look back far to see it, and has more than one
	// frame.
	bundletest.Add(t, st, l, "text", bundletest.Plain(t, bytes.Repeat(bundletest.Noise("compresses", 2<<20), 5)))
	bundletest.Add(t, st, l, "stored", bundletest.Plain(t, bundletest.Noise("\x1f\x8b", 3<<20)))
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := zseek.NewReader(bytes.NewReader(data), z)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	whole, err := z.DecodeAll(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Every layer is found by its place alone and read without what lies before it.
	layers := 0
	for _, e := range bundletest.Entries(t, f.Path) {
		got := make([]byte, len(e.Data))
		if _, err := r.ReadAt(got, e.Offset); err != nil || !bytes.Equal(got, e.Data) {
			t.Errorf("%s at %d: not what the archive has: %v", e.Name, e.Offset, err)
		}
		if !bytes.Equal(whole[e.Offset:][:len(e.Data)], e.Data) {
			t.Errorf("%s at %d: not what the whole has", e.Name, e.Offset)
		}
		layers++
	}
	if layers < 20 {
		t.Errorf("only %d entries were looked at", layers)
	}
	starts := map[int64]uint64{} // where frames begin, and how much is in them
	var at int64
	for rest := data; len(rest) > 0; {
		var h zstd.Header
		if err := h.Decode(rest); err != nil {
			t.Fatal(err)
		}
		if h.Skippable {
			if at != int64(len(whole)) {
				t.Errorf("a skippable frame stands %d bytes before the end", int64(len(whole))-at)
			}
			break
		}
		if !h.HasCheckSum || !h.HasFCS || max(h.WindowSize, h.FrameContentSize) > seekable.CompressedFrame {
			t.Errorf("frame at %d: checksum %v, size known %v, window %d, content %d", at, h.HasCheckSum,
				h.HasFCS, h.WindowSize, h.FrameContentSize)
		}
		starts[at] = h.FrameContentSize
		n := frameSize(t, rest)
		rest, at = rest[n:], at+int64(h.FrameContentSize)
	}
	rest := f.Size
	for n, e := range bundletest.Entries(t, f.Path) {
		stored, text := bytes.HasPrefix(e.Data, []byte("\x1f\x8b")), bytes.HasPrefix(e.Data, []byte("compresses"))
		if stored {
			rest -= int64(len(e.Data))
		}
		size, begins := starts[e.Offset-512]
		switch {
		case begins != (stored || text || n == 0):
			t.Errorf("%s begins a frame: %v", e.Name, begins)
		case stored && size > seekable.StoredFrame || text && size != seekable.CompressedFrame:
			t.Errorf("the first frame of %s has %d bytes", e.Name, size)
		}
	}
	if rest > 5<<20 {
		t.Errorf("what was not compressed before takes %d bytes", rest)
	}
	if out, err := exec.Command("zstd", "-t", f.Path).CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Log("zstd is not installed: apt-get install zstd")
	} else if err != nil {
		t.Errorf("zstd -t: %v: %s", err, out)
	}
	for _, at := range []int{100, len(data) / 2, len(data) * 2 / 3} {
		broken := bytes.Clone(data)
		broken[at] ^= 4
		if _, err := z.DecodeAll(broken, nil); err == nil {
			t.Errorf("a bit flipped at %d goes unnoticed", at)
		}
	}
}

// frameSize walks the blocks of a frame (RFC 8878, 3.1.1).
func frameSize(t *testing.T, b []byte) int {
	t.Helper()
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		t.Fatal(err)
	}
	n := h.HeaderSize
	for last := false; !last; {
		v := int(b[n]) | int(b[n+1])<<8 | int(b[n+2])<<16
		last = v&1 == 1
		n += 3
		if v>>1&3 == 1 {
			n++ // RLE: one byte stands for all
		} else {
			n += v >> 3
		}
	}
	return n + 4
}
