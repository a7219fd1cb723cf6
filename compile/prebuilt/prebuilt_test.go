package prebuilt_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/slipway-dev/slipway/compile/prebuilt"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

var (
	linux   = platform.Platform{OS: "linux", Architecture: "amd64"}
	windows = platform.Platform{OS: "windows", Architecture: "amd64"}
	exe     = programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll"}, Text: "a signature"})
	elf     = programtest.ELF(programtest.Needs{Interpreter: "/lib64/ld-linux-x86-64.so.2"})
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// entry is a file of an archive; one without content is a link.
type entry struct {
	name    string
	content []byte
}

func tarred(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o755, Size: int64(len(e.content)), Typeflag: tar.TypeReg}
		if e.content == nil {
			h.Typeflag, h.Linkname = tar.TypeSymlink, "/etc/passwd"
		}
		must(t, w.WriteHeader(h))
		_, err := w.Write(e.content)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func zipped(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f, err := w.Create(e.name)
		must(t, err)
		_, err = f.Write(e.content)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func compressed(t testing.TB, plain []byte, with func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := with(&b)
	must(t, err)
	_, err = w.Write(plain)
	must(t, err)
	must(t, w.Close())
	return b.Bytes()
}

func newStore(t testing.TB) *store.Store {
	t.Helper()
	st, err := store.Open(t.TempDir())
	must(t, err)
	return st
}

func gz(w io.Writer) (io.WriteCloser, error)  { return gzip.NewWriter(w), nil }
func xzw(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }
func zst(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }

// TestRead reads programs from files of all forms, twice, since the second time the store has
// what was unpacked.
func TestRead(t *testing.T) {
	plain := tarred(t, entry{"./readme", []byte("read me")}, entry{"./bin/x.exe", []byte("an older one")},
		entry{"bin/x.exe", exe}, entry{"link", nil})
	for _, tc := range []struct {
		name   string
		file   []byte
		member string
		on     platform.Platform
		want   string // the error; "" for exe, or the file
	}{
		{"program", exe, "", windows, ""},
		{"script", []byte("#!/bin/sh\nexec true\n"), "", linux, ""},
		{"Plan 9", []byte("\x00\x00\x8a\x97 and more"), "", platform.Platform{OS: "plan9", Architecture: "amd64"}, ""},
		{"AIX", []byte("\x01\xf7 and more"), "", platform.Platform{OS: "aix", Architecture: "ppc64"}, ""},
		{"illumos", elf, "", platform.Platform{OS: "illumos", Architecture: "amd64"}, ""},
		{"tar", plain, "bin/x.exe", windows, ""},
		{"tar.gz", compressed(t, plain, gz), "bin/x.exe", windows, ""},
		{"tar.xz", compressed(t, plain, xzw), "bin/x.exe", windows, ""},
		{"tar.zst", compressed(t, plain, zst), "bin/x.exe", windows, ""},
		{"zip", zipped(t, entry{`bin\x.exe`, exe}), "bin/x.exe", windows, ""},
		{
			"tar with a zip at its end", tarred(t, entry{"x", exe}, entry{"a.zip", zipped(t, entry{"a", exe})}),
			"x", windows, "",
		},

		{"another platform", elf, "", windows, "file is an ELF program for linux/amd64, " +
			"and it is named for windows/amd64: name the file that was built for it"},
		{
			"another platform in an archive", plain,
			"bin/x.exe", linux, "bin/x.exe in file is a PE program for windows/amd64, " +
				"and it is named for linux/amd64: name the file that was built for it",
		},
		{
			"script for Windows", []byte("#!/bin/sh\n"),
			"", windows, "file is not a program: if it is an archive, name the program in it as member",
		},
		{
			"pointer to a large file", []byte("version https://git-lfs.github.com/spec/v1\n"), "", linux,
			"file is not a program: if it is an archive, name the program in it as member",
		},
		{"archive", plain, "", linux, "file is not a program: if it is an archive, name the program in it as member"},
		{
			"not an archive", exe, "x.exe", windows,
			"file: it is neither a tar nor a zip archive: take member out, or name another file",
		},
		{"empty archive", tarred(t), "x", windows, "file: it has no file x, and no other: is it an archive?"},
		{"missing", plain, "bin/y.exe", windows, "file: it has no file bin/y.exe: did you mean bin/x.exe?"},
		{"elsewhere", plain, "x.exe", windows, "file: it has no file x.exe: use bin/x.exe, bin/x.exe"},
		{"not a program", plain, "readme", windows, "readme in file is not a program: name another member"},
		{"link", plain, "link", linux, "file: unpacking: its link is a link or a directory: name the file itself"},
		{"cut", compressed(t, plain, gz)[:200], "bin/x.exe", windows, "file: unpacking: it ends in the middle: copy or build it again"},
		{
			"cut zip", zipped(t, entry{"x.exe", exe})[:200], "x.exe", windows,
			"file: unpacking: zip: not a valid zip file",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(file, tc.file, 0o644))
			read := prebuilt.Reader{Store: newStore(t)}
			p := product.Prebuilt{
				Platform: tc.on, Origin: "file", File: file, Member: tc.member,
				Pos: yamlfile.Pos{File: "slipway.yaml", Line: 4, Column: 3},
			}
			for range 2 {
				f, err := read.Read(t.Context(), "x", p)
				if tc.want != "" {
					if err == nil || !strings.HasSuffix(err.Error(), tc.want) ||
						!strings.HasPrefix(err.Error(), "slipway.yaml:4:3: program x: ") {
						t.Fatalf("the error is %v", err)
					}
					continue
				}
				must(t, err)
				want := exe
				if tc.member == "" {
					want = tc.file
				}
				if archived := f.Archive.Hex != ""; archived != (tc.member != "") {
					t.Errorf("the archive is %s", f.Archive)
				}
				r, err := f.Content.Open()
				must(t, err)
				got, err := io.ReadAll(r)
				must(t, err)
				must(t, r.Close())
				if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(want)); !bytes.Equal(got, want) ||
					f.Content.Digest.String() != sum || f.Content.Size != int64(len(want)) {
					t.Errorf("%d bytes of %s, want %d of %s", len(got), f.Content.Digest, len(want), sum)
				}
			}
		})
	}
}

// TestChanged checks that a file that changes after it was read does not get anywhere.
func TestChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	p := product.Prebuilt{Platform: windows, Origin: "x", File: file}
	read := prebuilt.Reader{Store: newStore(t)}
	if _, err := read.Read(t.Context(), "x", p); err == nil ||
		!strings.Contains(err.Error(), "file x does not exist: build it first") {
		t.Errorf("without the file: %v", err)
	}
	must(t, os.WriteFile(file, exe, 0o755))
	f, err := read.Read(t.Context(), "x", p)
	must(t, err)
	must(t, os.WriteFile(file, bytes.ToUpper(exe), 0o755))
	r, err := f.Content.Open()
	must(t, err)
	defer r.Close()
	if _, err := io.Copy(io.Discard, r); err == nil ||
		!strings.Contains(err.Error(), "do not change files while they are read") {
		t.Errorf("after a change: %v", err)
	}
}

// TestDownload checks that a download is made once, and never where its bytes are not known.
func TestDownload(t *testing.T) {
	var requests atomic.Int32
	archive := zipped(t, entry{"x.exe", exe})
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Write(archive) //nolint:errcheck // the client sees it
	}))
	defer s.Close()
	st := newStore(t)
	online := prebuilt.Reader{Store: st, Client: network.New(network.Options{Transport: s.Client().Transport})}
	p := product.Prebuilt{
		Platform: windows, Origin: s.URL, URL: s.URL, SHA256: strings.Repeat("1", 64),
		Member: "x.exe",
	}
	if _, err := online.Read(t.Context(), "x", p); err == nil ||
		!strings.Contains(err.Error(), "the file has changed, or the checksum is wrong") {
		t.Errorf("another checksum: %v", err)
	}
	p.SHA256 = fmt.Sprintf("%x", sha256.Sum256(archive))
	offline := prebuilt.Reader{Store: st}
	if _, err := offline.Read(t.Context(), "x", p); err == nil ||
		!strings.Contains(err.Error(), prebuilt.ErrNotDownloaded.Error()) {
		t.Errorf("before the download: %v", err)
	}
	for _, read := range []prebuilt.Reader{online, offline, online} {
		f, err := read.Read(t.Context(), "x", p)
		must(t, err)
		if f.Archive.Hex != p.SHA256 || f.Content.Size != int64(len(exe)) {
			t.Errorf("%+v", f)
		}
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// TestBomb reads a program from archives that unpack to a thousand times their size.
func TestBomb(t *testing.T) {
	extent.Plain(t)
	const size = 300 << 20
	bomb := entry{"bomb", make([]byte, size)}
	for _, tc := range []struct {
		name string
		file []byte
	}{
		{"tar.gz", compressed(t, tarred(t, bomb, entry{"x.exe", exe}), gz)},
		{"zip", zipped(t, entry{"x.exe", exe}, bomb)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(file, tc.file, 0o644))
			st := newStore(t)
			_, err := prebuilt.Reader{Store: st}.Read(t.Context(),
				"x", product.Prebuilt{Platform: linux, Origin: "file", File: file, Member: "bomb"})
			if want := "file: unpacking: it unpacks to more than 256 MiB, " +
				"and to more than 100 times its size: "; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if left, err := filepath.Glob(filepath.Join(st.Dir(), "blobs", "*", "*")); len(left) > 0 {
				t.Errorf("%v is left: %v", left, err)
			}
			if left, err := filepath.Glob(filepath.Join(st.Temp(), "*")); len(left) > 0 {
				t.Errorf("%v is left: %v", left, err)
			}
		})
	}
}
