package airgap

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/test/golden"
)

// TestGolden holds the entries, both views and the list of every bundle against testdata.
func TestGolden(t *testing.T) {
	st, l := demo(t, 2000)
	for _, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		base := strings.TrimSuffix(filepath.Base(f.Path), ".tar.zst")
		t.Run(base, func(t *testing.T) {
			var b strings.Builder
			for _, e := range entries(t, f.Path) {
				fmt.Fprintf(&b, "%s %d\n", e.name, len(e.data))
				if strings.HasSuffix(e.name, ".json") {
					b.WriteString(indent(t, e.data))
				}
			}
			list, err := os.ReadFile(f.List)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, *update, "testdata/"+base+".golden", b.String()+"list\n"+string(list))
		})
	}
}

// TestContent holds every bundle against the store and the lock.
func TestContent(t *testing.T) {
	st, l := demo(t, 2000)
	l.Images[1].Children[0].Base = nil
	for n, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		all := entries(t, f.Path)
		seen := map[string]bool{}
		for _, e := range all {
			if seen[e.name] {
				t.Errorf("%s: %s stands in the archive twice", f.Path, e.name)
			}
			seen[e.name] = true
			if hex, ok := strings.CutPrefix(e.name, "blobs/sha256/"); ok && hex != sum(e.data) {
				t.Errorf("%s: %s has the digest %s", f.Path, e.name, sum(e.data))
			}
		}
		agent := f.Images[slices.IndexFunc(f.Images, func(i Image) bool { return i.Name == "slipway.local/demo/agent:1.2.3" })]
		if agent.Digest != l.Images[0].Digest || agent.Reference != l.Images[0].Reference() {
			t.Errorf("%s: agent is %s, want the digest that the lock pins", f.Path, agent.Reference)
		}
		want := 1
		if b := bundles(t)[n]; b.Platform == nil {
			want = 5
		}
		if len(agent.Children) != want || len(agent.Missing) != 5-want {
			t.Errorf("%s: agent has %d children and lacks %d, want %d and %d", f.Path, len(agent.Children), len(agent.Missing), want, 5-want)
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Size != int64(len(data)) || f.SHA256 != sum(data) {
			t.Errorf("%s: reported %d bytes with digest %s", f.Path, f.Size, f.SHA256)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	linux, windows := bundles(t)[:1], bundles(t)[2:3]
	for _, c := range []struct {
		name    string
		bundles []product.Bundle
		change  func(*testing.T, *lock.Lock)
		want    []string
	}{
		{"in no bundle", linux, func(_ *testing.T, l *lock.Lock) {}, []string{"slipway.local/demo/lifecycle:1.2.3 is in no bundle", "all platforms"}},
		{"both are reported", windows, func(_ *testing.T, l *lock.Lock) { l.ThirdParty = nil }, []string{"demo/server:1.2.3 is in no bundle: it has linux/amd64", "demo/lifecycle:1.2.3 is in no bundle"}},
		{"empty bundle", append(bundles(t), product.Bundle{Name: "x", Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}}), func(_ *testing.T, l *lock.Lock) {}, []string{"bundle x would be empty: no image has linux/s390x"}},
		{"no names", bundles(t), func(_ *testing.T, l *lock.Lock) { l.Images[1].Repository = "" }, []string{"server has no name in the lock: publish"}},
		{"one name twice", bundles(t), func(_ *testing.T, l *lock.Lock) { l.Images[1].Repository = l.Images[0].Repository }, []string{"demo/agent:1.2.3 is on the list twice"}},
		{"wrong child in lock", bundles(t), func(_ *testing.T, l *lock.Lock) {
			l.Images[0].Children[2], l.Images[0].Children[3] = l.Images[0].Children[3], l.Images[0].Children[2]
		}, []string{"agent: the lock has", "10.0.20348.1"}},
		{"child missing in lock", bundles(t), func(_ *testing.T, l *lock.Lock) { l.Images[0].Children = l.Images[0].Children[:4] }, []string{"agent: the lock names 4 platforms", "has 5"}},
		{"wrong platform in lock", bundles(t), func(_ *testing.T, l *lock.Lock) { l.Images[1].Children[0].Platform = "linux/arm64" }, []string{"server: the lock has", "as linux/arm64"}},
		{"blob missing", bundles(t), func(_ *testing.T, l *lock.Lock) { l.ThirdParty[0].Digest.Hex = strings.Repeat("0", 64) }, []string{"pause:3.9@", "is not in the store"}},
		{"size", bundles(t), func(_ *testing.T, l *lock.Lock) { l.ThirdParty[0].Size++ }, []string{"pause:3.9@", "its descriptor says"}},
		{"wrong digest in lock", bundles(t), func(_ *testing.T, l *lock.Lock) { l.Images[0].Children[0].Digest = l.Images[1].Digest }, []string{"agent: the lock has "}},
		{"bad reference", bundles(t), func(_ *testing.T, l *lock.Lock) { l.ThirdParty[0].Reference = "a b" }, []string{"a b:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, l := demo(t, 100)
			c.change(t, l)
			dir := t.TempDir()
			_, err := Pack(t.Context(), st, l, c.bundles, PackOptions{Dir: dir})
			for _, w := range c.want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("error %v, want %q in it", err, w)
				}
			}
			empty(t, dir)
		})
	}
}

// TestMislabelled: an index that calls a 2022 image 2025 is refused, whoever made it.
func TestMislabelled(t *testing.T) {
	st, l := demo(t, 100)
	i, err := st.Index(l.ThirdParty[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := i.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte("10.0.17763.5"), []byte("10.0.26100.5"))
	h, err := st.PutBytes(raw)
	if err != nil {
		t.Fatal(err)
	}
	l.ThirdParty[0].Digest = h
	_, err = Pack(t.Context(), st, l, bundles(t), PackOptions{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "as windows/amd64:10.0.26100.5, but the image is made for windows/amd64:10.0.17763.5") {
		t.Errorf("error %v", err)
	}
}

// TestPartial: a lock that -platforms or -only cut down need not fill every bundle.
func TestPartial(t *testing.T) {
	st, l := demo(t, 100)
	l.Partial, l.Images = []string{"server"}, l.Images[1:2]
	l.ThirdParty = nil
	files := pack(t, st, l, t.TempDir(), bundles(t)...)
	if len(files) != 2 || len(files[0].Images) != 1 || len(files[1].Images) != 1 {
		t.Errorf("got %d files, want those for linux/amd64 and for all", len(files))
	}
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 1000)
	other, m := demo(t, 1000)
	for _, prefix := range []string{"\x1f\x8b", "text"} {
		add(t, st, l, "large"+strconv.Itoa(len(prefix)), plain(t, noise(prefix, 9<<20)))
		add(t, other, m, "large"+strconv.Itoa(len(prefix)), plain(t, noise(prefix, 9<<20)))
	}
	a := pack(t, st, l, t.TempDir(), bundles(t)...)
	b := pack(t, other, m, t.TempDir(), bundles(t)...)
	for i := range a {
		if a[i].SHA256 != b[i].SHA256 {
			t.Errorf("%s has two digests: %s and %s", a[i].Path, a[i].SHA256, b[i].SHA256)
		}
	}
}

func TestReuse(t *testing.T) {
	st, l := demo(t, 100)
	dir, all := t.TempDir(), product.Bundle{Name: "demo-images"}
	first := pack(t, st, l, dir, all)[0]
	for _, c := range []struct {
		name   string
		change func() error
		reused bool
	}{
		{"nothing changed", func() error { return nil }, true},
		{"list gone", func() error { return os.Remove(first.List) }, true},
		{"file touched", func() error { return os.WriteFile(first.Path, []byte("x"), 0o644) }, false},
		{"other bytes, same size", func() error { return os.WriteFile(first.Path, make([]byte, first.Size), 0o644) }, false},
		{"other size, same time", func() error {
			fi, err := os.Stat(first.Path)
			if err != nil {
				return err
			}
			return errors.Join(os.Truncate(first.Path, 10), os.Chtimes(first.Path, fi.ModTime(), fi.ModTime()))
		}, false},
		{"file gone", func() error { return os.Remove(first.Path) }, false},
		{"version changed", func() error { l.Version = "2"; return nil }, false},
		{"image gone", func() error { l.ThirdParty = l.ThirdParty[1:]; return nil }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			f := pack(t, st, l, dir, all)[0]
			if f.Reused != c.reused {
				t.Errorf("reused: %v", f.Reused)
			}
			data, err := os.ReadFile(f.Path)
			if err != nil || sum(data) != f.SHA256 || int64(len(data)) != f.Size {
				t.Errorf("the file has digest %s, reported was %s: %v", sum(data), f.SHA256, err)
			}
			if _, err := os.Stat(f.List); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDamagedStore: a blob that has changed on disk does not get into a bundle, and no file appears.
func TestDamagedStore(t *testing.T) {
	st, l := demo(t, 100_000)
	i, err := st.Image(l.Images[1].Children[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := i.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	path := st.Path(m.Layers[0].Digest)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, err = Pack(t.Context(), st, l, bundles(t)[5:], PackOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "is damaged: delete "+path) {
		t.Errorf("error %v", err)
	}
	empty(t, dir)
}

func TestCancel(t *testing.T) {
	st, l := demo(t, 100)
	add(t, st, l, "big", newBig(t, "\x1f\x8b", min(256<<20, bigLayer)))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	// The watcher cancels as soon as a temporary file has bytes in it, so that packing is under way.
	done := make(chan error, 1)
	go func() {
		_, err := Pack(ctx, st, l, bundles(t)[5:], PackOptions{Dir: dir})
		done <- err
	}()
	for {
		if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
			cancel()
			break
		}
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	empty(t, dir)
}

// TestStops: a disk that is full and a context that ends stop the packer at once, whatever is still to be read.
func TestStops(t *testing.T) {
	st, l := demo(t, 100)
	add(t, st, l, "big", newBig(t, "\x1f\x8b", min(256<<20, bigLayer)))
	plans, err := newPlans(st, l, bundles(t)[5:], "")
	if err != nil {
		t.Fatal(err)
	}
	enc, err := newEncoders()
	if err != nil {
		t.Fatal(err)
	}
	p := &packer{st: st, open: fromStore(st), lock: l, enc: enc}
	full := errors.New("the disk is full")
	if err := p.stream(t.Context(), &sink{limit: 1 << 10, full: func() error { return full }}, plans[0], []byte("[]"), []byte("{}")); !errors.Is(err, full) {
		t.Errorf("error %v, want that the disk is full", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{limit: 1 << 10, full: func() error { cancel(); return nil }}
	if err := p.stream(ctx, s, plans[0], []byte("[]"), []byte("{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	// The zeros of big are stored in frames of a few dozen bytes; all of them would be more.
	if s.frames > 4*maxCores+20 {
		t.Errorf("%d frames were written, though the context had ended", s.frames)
	}
}

// sink is a disk on which something happens when limit bytes are on it.
type sink struct {
	n, limit, frames int
	full             func() error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.n += len(p); s.n > s.limit {
		s.frames++
		if err := s.full(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// TestFrames holds the zstd frames against the seek table, and zstd and another implementation of the seekable format against both.
func TestFrames(t *testing.T) {
	t.Parallel()
	st, l := demo(t, 100)
	// 2 MiB of noise five times: an encoder must look back far to see it, and has more than one frame.
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
	r, err := seekable.NewReader(bytes.NewReader(data), z)
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
		if !h.HasCheckSum || !h.HasFCS || max(h.WindowSize, h.FrameContentSize) > compressedFrame {
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
		case stored && size > storedFrame || text && size != compressedFrame:
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

// entries reads a whole bundle with the standard library's tar and checks what holds for every entry.
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

func empty(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("left in the directory: %v %v", files, err)
	}
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func TestNames(t *testing.T) {
	h := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("ab", 32)}
	for ref, want := range map[string][2]string{
		"busybox":                        {"docker.io/library/busybox:latest", "docker.io/library/busybox@" + h.String()},
		"busybox:1.36":                   {"docker.io/library/busybox:1.36", "docker.io/library/busybox@" + h.String()},
		"busybox:1.36@" + h.String():     {"docker.io/library/busybox:1.36", "docker.io/library/busybox@" + h.String()},
		"r.io:5000/a/b@" + h.String():    {"r.io:5000/a/b:sha256-" + h.Hex, "r.io:5000/a/b@" + h.String()},
		"registry.k8s.io/pause:3.9":      {"registry.k8s.io/pause:3.9", "registry.k8s.io/pause@" + h.String()},
		"index.docker.io/rancher/x:v1":   {"docker.io/rancher/x:v1", "docker.io/rancher/x@" + h.String()},
		"localhost:5000/x:v1":            {"localhost:5000/x:v1", "localhost:5000/x@" + h.String()},
		"docker.io/library/busybox:1.36": {"docker.io/library/busybox:1.36", "docker.io/library/busybox@" + h.String()},
	} {
		tagged, pinned, err := names(ref, h)
		if d := cmp.Diff(want, [2]string{tagged, pinned}); d != "" || err != nil {
			t.Errorf("%s: %v %s", ref, err, d)
		}
	}
}
