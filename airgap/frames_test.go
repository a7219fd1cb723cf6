package airgap

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// TestFrames holds the zstd frames against the seek table, and zstd and another implementation of
// the seekable format against both.
func TestFrames(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 100)
	// 2 MiB of noise five times: an encoder must look back far to see it, and has more than one
	// frame.
	add(t, st, l, "text", plain(t, bytes.Repeat(noise("compresses", 2<<20), 5)))
	add(t, st, l, "stored", plain(t, noise("\x1f\x8b", 3<<20)))
	f := pack(t, st, l, t.TempDir(), bundles(t)[5])[0]
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
	for _, e := range entries(t, f.Path) {
		got := make([]byte, len(e.data))
		if _, err := r.ReadAt(got, e.offset); err != nil || !bytes.Equal(got, e.data) {
			t.Errorf("%s at %d: not what the archive has: %v", e.name, e.offset, err)
		}
		if !bytes.Equal(whole[e.offset:][:len(e.data)], e.data) {
			t.Errorf("%s at %d: not what the whole has", e.name, e.offset)
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
			t.Errorf("frame at %d: checksum %v, size known %v, window %d, content %d", at, h.HasCheckSum, h.HasFCS, h.WindowSize, h.FrameContentSize)
		}
		starts[at] = h.FrameContentSize
		n := frameSize(t, rest)
		rest, at = rest[n:], at+int64(h.FrameContentSize)
	}
	rest := f.Size
	for n, e := range entries(t, f.Path) {
		stored, text := bytes.HasPrefix(e.data, []byte("\x1f\x8b")), bytes.HasPrefix(e.data, []byte("compresses"))
		if stored {
			rest -= int64(len(e.data))
		}
		size, begins := starts[e.offset-512]
		switch {
		case begins != (stored || text || n == 0):
			t.Errorf("%s begins a frame: %v", e.name, begins)
		case stored && size > seekable.StoredFrame || text && size != seekable.CompressedFrame:
			t.Errorf("the first frame of %s has %d bytes", e.name, size)
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

type entry struct {
	name   string
	data   []byte
	offset int64 // of the data in the decompressed archive
}

// entries reads a whole bundle with the standard library's tar and checks what holds for every
// entry.
func entries(t *testing.T, path string) []entry {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(32<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all []entry
	var at int64
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || h.Mode != 0o644 || h.Uid+h.Gid != 0 || h.Uname+h.Gname != "" || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%s: %+v", path, h)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, entry{h.Name, data, at + 512})
		at += 512 + (h.Size+511)/512*512
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
