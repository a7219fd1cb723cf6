package reproduce

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func texts(causes []Cause) (all []string) {
	for _, c := range causes {
		all = append(all, c.String())
	}
	return all
}

// archived returns an archive of files in a format.
func archived(t testing.TB, format string, mode int64, files ...string) func() (io.ReadCloser, error) {
	t.Helper()
	var b bytes.Buffer
	if format == "zip" {
		z := zip.NewWriter(&b)
		for n := 0; n < len(files); n += 2 {
			w, err := z.Create(files[n])
			must(t, err)
			_, err = w.Write([]byte(files[n+1]))
			must(t, err)
		}
		must(t, z.Close())
	} else {
		var z io.WriteCloser = gzip.NewWriter(&b)
		if format == "zstd" {
			var err error
			z, err = zstd.NewWriter(&b)
			must(t, err)
		}
		w := tar.NewWriter(z)
		for n := 0; n < len(files); n += 2 {
			must(t,
				w.WriteHeader(&tar.Header{
					Name: files[n], Typeflag: tar.TypeReg,
					Mode: mode, Size: int64(len(files[n+1])),
				}))
			_, err := w.Write([]byte(files[n+1]))
			must(t, err)
		}
		must(t, errors.Join(w.Close(), z.Close()))
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
}

// TestFiles compares archives and files.
func TestFiles(t *testing.T) {
	plain := func(s string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
	}
	for _, tt := range []struct {
		name    string
		was, is func() (io.ReadCloser, error)
		want    []string
	}{
		{
			"lines", archived(t, "gzip", 0o644, "a", "1\n2\n"), archived(t, "gzip", 0o644, "a", "1\n3\n"),
			[]string{`a: line 2 is "2", made here "3"`},
		},
		{
			"bytes", archived(t, "zip", 0, "a", "\x00\x01\x02"), archived(t, "zip", 0, "a", "\x00\x03\x02"),
			[]string{`a: 1 bytes differ, the first at offset 1: "\x01\x02", made here "\x03\x02"`},
		},
		{
			"missing", archived(t, "zstd", 0o644, "a", "1", "b", "2"), archived(t, "zstd", 0o644, "a", "1", "c", "2"),
			[]string{"b: it was not made here", "c: the release does not have it"},
		},
		{
			"mode", archived(t, "gzip", 0o644, "a", "1"), archived(t, "gzip", 0o755, "a", "1"),
			[]string{"a: it is a file of type 0, mode 644, owner 0:0, time 1970-01-01T00:00:00Z, " +
				"made here a file of type 0, mode 755, owner 0:0, time 1970-01-01T00:00:00Z"},
		},
		{
			"compression", archived(t, "gzip", 0o644, "a", "1"), archived(t, "zstd", 0o644, "a", "1"),
			[]string{"all files are the same: they were packed or compressed in another way"},
		},
		{"no archive", plain("abcd\x00"), plain("abcd\x00e"), []string{"it has 5 bytes, made here 6"}},
		{"archive of one only", archived(t, "gzip", 0o644, "a", "1"), plain("abcdef\n"), nil},
	} {
		got, err := (&comparison{}).files("", tt.was, tt.is)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if tt.want == nil {
			if len(got) != 1 || !strings.Contains(got[0].Why, "bytes differ, the first at offset 0") {
				t.Errorf("%s: %v", tt.name, texts(got))
			}
		} else if d := cmp.Diff(tt.want, texts(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// TestValues compares JSON documents.
func TestValues(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want []string
	}{
		{
			`{"a":{"b":[1,2]},"c":1}`, `{"a":{"b":[1,3]},"d":2}`,
			[]string{"x: .a.b[1] is 2, made here 3", "x: .c is 1, made here missing", "x: .d is missing, made here 2"},
		},
		{`{"a":[1]}`, `{"a":[1,2]}`, []string{"x: .a is [1], made here [1,2]"}},
		{
			`{"a":1}`, `{ "a":1}`,
			[]string{
				`x: the same values are written in another way: 7 bytes differ, the first at offset 1: "\"a\":1}", made here " \"a\":1}"`,
			},
		},
		{`x`, `y`, []string{`x: 1 bytes differ, the first at offset 0: "x", made here "y"`}},
	} {
		if d := cmp.Diff(tt.want, texts(values("x", []byte(tt.a), []byte(tt.b)))); d != "" {
			t.Errorf("%s, %s (-want +got):\n%s", tt.a, tt.b, d)
		}
	}
}

// TestPrograms compiles a program in several ways and compares each with the first.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/x\n\ngo 1.24\n"), 0o644))
	build := func(text, goos string, args ...string) []byte {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644))
		cmd := exec.Command("go", append([]string{"build", "-trimpath", "-buildvcs=false", "-o", "out"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOOS="+goos)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		b, err := os.ReadFile(filepath.Join(dir, "out"))
		must(t, err)
		return b
	}
	const one, two = "package main\n\nvar v string\n\nfunc main() { println(v) }\n",
		"package main\n\nvar v string\n\nfunc main() { println(v, v) }\n"
	for _, goos := range []string{"linux", "windows"} {
		first := build(one, goos)
		older := bytes.ReplaceAll(first, []byte(runtime.Version()), []byte("go0"+runtime.Version()[3:]))
		changed := bytes.Clone(first)
		changed[len(changed)/2] ^= 1
		for _, tt := range []struct {
			name string
			b    []byte
			want string
		}{
			{"ldflags", build(one, goos, "-ldflags=-X main.v=1"), "it was linked with other flags (ldflags)"},
			{"no build ID", build(one, goos, "-ldflags=-buildid="), "it was linked with other flags (ldflags)"},
			{"source", build(two, goos), "its packages were compiled from other sources"},
			{"tags", build(one, goos, "-tags=x"), "its build setting -tags is missing, here x"},
			{"toolchain", older, "it was compiled by " + runtime.Version() + ", here by go0" + runtime.Version()[3:]},
			{"patched", changed, "it was changed after it was linked"},
		} {
			if got := strings.Join(programs(first, tt.b), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%s, %s: %q, want %q", goos, tt.name, got, tt.want)
			}
		}
	}
	if got := programs([]byte("x"), []byte("y")); got != nil {
		t.Errorf("no programs: %v", got)
	}
}

// TestFilesMemory compares two archives of large files of which a small one differs: only that is
// kept.
func TestFilesMemory(t *testing.T) {
	const size = 16 << 20
	archive := func(text string) func() (io.ReadCloser, error) {
		large := strings.Repeat("0", size)
		return archived(t, "zstd", 0o644, "large", large, "larger", large+"1", "text", text)
	}
	was, is := archive("1\n2\n"), archive("1\n3\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := new(comparison).files("layer", was, is)
	must(t, err)
	runtime.ReadMemStats(&after)
	if d := cmp.Diff([]string{`text: line 2 is "2", made here "3"`}, texts(got)); d != "" {
		t.Errorf("causes (-want +got):\n%s", d)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4*size {
		t.Errorf("it took %d MiB to compare 2 × %d MiB", n>>20, 2*size>>20)
	}
}
