package containerfile_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/ulikunitz/xz"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/platform"
)

// zeros writes a tar of n files with size bytes each.
func zeros(tb testing.TB, w io.Writer, n int, size int64) {
	tb.Helper()
	t := tar.NewWriter(w)
	for i := range n {
		must(tb, t.WriteHeader(&tar.Header{Name: fmt.Sprintf("d%d/f%d", i/1000, i), Size: size, Mode: 0o644}))
		_, err := io.CopyN(t, zero{}, size)
		must(tb, err)
	}
	must(tb, t.Close())
}

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// packed writes an archive into a context in the form that its name gives.
func packed(tb testing.TB, file string, n int, size int64) {
	tb.Helper()
	f, err := os.Create(file)
	must(tb, err)
	defer f.Close()
	var w io.WriteCloser
	switch filepath.Ext(file) {
	case ".gz":
		w = gzip.NewWriter(f)
	case ".xz":
		w, err = xz.NewWriter(f)
	case ".zst":
		w, err = zstd.NewWriter(f)
	case ".zip":
		z := zip.NewWriter(f)
		for i := range n {
			one, err := z.Create(fmt.Sprintf("f%d", i))
			must(tb, err)
			_, err = io.CopyN(one, zero{}, size)
			must(tb, err)
		}
		must(tb, z.Close())
		return
	default:
		w = struct {
			io.Writer
			io.Closer
		}{f, io.NopCloser(nil)}
	}
	must(tb, err)
	zeros(tb, w, n, size)
	must(tb, w.Close())
}

// nothingLeft checks that neither unpacked archives nor blobs are in the store.
func nothingLeft(tb testing.TB, dir string) {
	tb.Helper()
	must(tb, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if fi, err := e.Info(); err != nil || fi.Size() > 64<<10 || strings.HasSuffix(p, ".tmp") {
			tb.Errorf("%s is left: %v", p, err)
		}
		return nil
	}))
}

func limited(tb testing.TB, dir, source string) containerfile.Input {
	tb.Helper()
	in := dockerfiletest.Load(tb, &txtar.Archive{}).Input
	in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	in.Source, in.Context = []byte(source), dir
	return in
}

func TestLimits(t *testing.T) {
	extent.Plain(t)
	const mib = 1 << 20
	doubling := "FROM scratch AS s0\nCOPY a /0/a\n"
	for n := range 22 {
		doubling += fmt.Sprintf("FROM s%d AS s%d\nCOPY --from=s%d / /%d/\n", n, n+1, n, n+1)
	}
	copies := "FROM scratch\nCOPY a /x/a\n"
	for n := range 40 {
		copies += fmt.Sprintf("RUN cp -r /x /y && mv /y /x/%d\n", n)
	}
	small := containerfile.Limits{Bytes: 8 * mib, Files: 1000}
	for _, tc := range []struct {
		name, source string
		limits       containerfile.Limits
		n            int
		size         int64
		want         string
	}{
		{"a.tar", "ADD a.tar /", small, 20, mib, "Dockerfile:2:5: this makes more than 8 MiB"},
		{"a.tar.gz", "ADD a.tar.gz /", small, 20, mib, "Dockerfile:2:5: this makes more than 8 MiB"},
		{"a.tar.xz", "ADD a.tar.xz /", small, 20, mib, "Dockerfile:2:5: this makes more than 8 MiB"},
		{"a.tar.zst", "ADD a.tar.zst /", small, 20, mib, "Dockerfile:2:5: this makes more than 8 MiB"},
		{"a.zip", "ADD --unpack a.zip /", small, 20, mib, "Dockerfile:2:14: this makes more than 8 MiB"},
		{
			"b.tar.gz", "COPY b.tar.gz /\nRUN tar -xf /b.tar.gz", small, 20,
			mib, "Dockerfile:3:5: RUN tar: this makes more than 8 MiB",
		},
		{
			"b.zip", "COPY b.zip /\nRUN unzip /b.zip",
			small, 20, mib, "Dockerfile:3:5: RUN unzip: this makes more than 8 MiB",
		},
		{"b.tar", "ADD b.tar /", small, 1200, 0, "Dockerfile:2:5: this makes more than 1000 files"},
		{"a", "COPY a /\nCOPY a /b", small, 1, 5 * mib, "Dockerfile:3:1: this makes more than 8 MiB"},
		{"a", doubling[len("FROM scratch AS s0\n"):], small, 1, 0, ": this makes more than 1000 files"},
		{
			"a", copies[len("FROM scratch\n"):],
			containerfile.Limits{Files: 1 << 30, Bytes: 8 * mib},
			1, mib, ": this makes more than 8 MiB",
		},
		{"a", copies[len("FROM scratch\n"):], small, 1, 0, ": this makes more than 1000 files"},
		{
			"c.tar.gz", "ADD c.tar.gz /",
			containerfile.Limits{},
			2, unsuspected,
			"Dockerfile:2:5: the archive unpacks to more than 256 MiB, and to more than 100 times its size",
		},
	} {
		t.Run(tc.name+" "+strings.ReplaceAll(tc.want, "/", ""), func(t *testing.T) {
			dir := t.TempDir()
			packed(t, filepath.Join(dir, tc.name), tc.n, tc.size)
			from := "FROM scratch\n"
			if strings.Contains(tc.source, "FROM s0") {
				from = "FROM scratch AS s0\n"
			}
			in := limited(t, dir, from+tc.source+"\n")
			in.Limits = tc.limits
			_, err := containerfile.Build(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			nothingLeft(t, in.Store.Dir())
		})
	}
}

const unsuspected = 256 << 20

// TestUnpackingStops ends a build in the middle of an archive, as SIGTERM does.
func TestUnpackingStops(t *testing.T) {
	extent.Plain(t)
	dir := t.TempDir()
	packed(t, filepath.Join(dir, "a.tar.gz"), 200, 1<<20)
	for _, source := range []string{"ADD a.tar.gz /\n", "ADD a.tar.gz /\nADD a.tar.gz /b\nCOPY --from=stop . .\n"} {
		in := limited(t, dir, "FROM scratch\n"+source)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		in.Context = ""
		in.Contexts = map[string]containerfile.Context{"src": {Dir: dir}}
		in.Context = dir
		go func() { // as soon as something is there
			for ctx.Err() == nil {
				found, err := filepath.Glob(filepath.Join(in.Store.Temp(), "*"))
				if err == nil && len(found) > 0 {
					stop()
				}
			}
		}()
		if _, err := containerfile.Build(ctx, in); err == nil {
			t.Fatal("the build did not stop")
		}
		nothingLeft(t, in.Store.Dir())
	}
}

// BenchmarkEmptyFiles adds an archive of 300,000 empty files and writes the layer.
func BenchmarkEmptyFiles(b *testing.B) {
	dir := b.TempDir()
	packed(b, filepath.Join(dir, "a.tar.gz"), 300_000, 0)
	for b.Loop() {
		in := limited(b, dir, "FROM scratch\nADD a.tar.gz /\n")
		r, err := containerfile.Build(b.Context(), in)
		must(b, err)
		_, err = layer.Write(b.Context(), in.Store, r.Layers[0].Entries, layer.Options{OS: "linux"})
		must(b, err)
	}
}
