package layer_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestRefused checks that invalid entries make no layer: the error names the path,
// and the store stays empty.
func TestRefused(t *testing.T) {
	file := func(path string) layer.Entry {
		return layer.Entry{Path: path, Mode: 0o644, Content: layer.Bytes([]byte("x"))}
	}
	link := func(path, to string) layer.Entry {
		return layer.Entry{Path: path, Type: layer.Hardlink, Linkname: to}
	}
	cases := []struct {
		name    string
		os      string // empty for both
		entries []layer.Entry
		says    []string
	}{
		{"relative path", "", []layer.Entry{file("app/run")}, []string{`"app/run"`, "absolute"}},
		{"empty path", "", []layer.Entry{file("")}, []string{`""`, "absolute"}},
		{"path with dots", "", []layer.Entry{file("/app/../etc/passwd")}, []string{"/app/../etc/passwd", "clean"}},
		{
			"path with a slash at its end", "",
			[]layer.Entry{{Path: "/app/", Type: layer.Dir}},
			[]string{"/app/", "clean"},
		},
		{"file in place of the root", "", []layer.Entry{file("/")}, []string{`"/"`}},
		{
			"file under a file", "",
			[]layer.Entry{file("/app"), file("/app/run")},
			[]string{"/app/run lies in /app", "not a directory"},
		},
		{"file under a link", "", []layer.Entry{
			{Path: "/app", Type: layer.Symlink, Linkname: "/opt"},
			file("/app/x/run"),
		}, []string{"/app/x/run lies in /app", "not a directory"}},
		{"name of a whiteout", "", []layer.Entry{file("/app/.wh.run")}, []string{"/app/.wh.run", "rename"}},
		{"directory named as a whiteout", "", []layer.Entry{file("/.wh.app/run")}, []string{"/.wh.app/run", "rename"}},
		{"hard link to nothing", "", []layer.Entry{link("/a", "/b")}, []string{"/a is a hard link to /b"}},
		{
			"hard link to a directory", "",
			[]layer.Entry{{Path: "/b", Type: layer.Dir}, link("/a", "/b")},
			[]string{"/a is a hard link to /b"},
		},
		{"hard link to itself", "", []layer.Entry{link("/a", "/a")}, []string{"/a is a hard link to /a"}},
		{
			"hard link to a relative path", "",
			[]layer.Entry{file("/b"), link("/a", "b")},
			[]string{"/a is a hard link to b"},
		},
		{"NUL in a name", "", []layer.Entry{file("/a\x00b")}, []string{"/a"}},
		{
			"files that differ in case", "windows",
			[]layer.Entry{file("/App"), file("/app")},
			[]string{"/App", "/app", "case"},
		},
		{
			"directories that differ in case", "windows",
			[]layer.Entry{file("/App/one"), file("/app/two")},
			[]string{"/App", "/app", "case"},
		},
		{
			"directories of other letters that differ in case",
			"windows",
			[]layer.Entry{file("/Über/one"), file("/über/two")},
			[]string{"/Über", "/über", "case"},
		},
		{"name that is not UTF-8", "windows", []layer.Entry{file("/app/a\xffb")}, []string{`"/app/a\xffb"`, "UTF-8"}},
		{
			"name of 256 characters", "windows",
			[]layer.Entry{file("/app/" + strings.Repeat("é", 256))},
			[]string{"/app/é", "255"},
		},
		{
			"name of 128 characters beyond 16 bits", "windows",
			[]layer.Entry{file("/" + strings.Repeat("😀", 128))},
			[]string{"255"},
		},
	}
	for _, name := range []string{
		"CON", "con", "con.txt", "CON .txt", "Nul", "aux.tar.gz", "COM1", "com9.log", "LPT5", "CONIN$",
		"dot.", "space ", "a:b", "a?b", "a*b", "a\"b", "a<b",
		"a>b", "a|b", `a\b`, "a\tb", "COM¹", "lpt².txt",
	} {
		cases = append(cases, struct {
			name    string
			os      string
			entries []layer.Entry
			says    []string
		}{
			"Windows name " + name, "windows",
			[]layer.Entry{file("/app/" + name + "/file")},
			[]string{"/app/" + name, "Windows", "rename"},
		})
	}
	for _, tc := range cases {
		for _, system := range []string{"linux", "windows"} {
			if tc.os != "" && tc.os != system {
				continue
			}
			t.Run(tc.name+" on "+system, func(t *testing.T) {
				st := storetest.Open(t)
				l, err := layer.Write(t.Context(), st, tc.entries, layer.Options{OS: system})
				if err == nil {
					t.Fatalf("it is written as %+v", l)
				}
				for _, s := range tc.says {
					if !strings.Contains(err.Error(), s) {
						t.Errorf("the error %q does not say %q", err, s)
					}
				}
				nothingIn(t, st.Dir())
			})
		}
	}
}

// TestWindowsNames accepts names that resemble those of Windows devices.
func TestWindowsNames(t *testing.T) {
	for _, name := range []string{
		"console", "com", "com0", "com10", "lpt", "nully", "aux-file",
		"$con", ".hidden", "a.b.c", "a'b",
	} {
		if _, err := layer.Write(t.Context(), storetest.Open(t), []layer.Entry{{Path: "/" + name, Mode: 0o644}},
			layer.Options{OS: "windows"}); err != nil {
			t.Error(err)
		}
	}
}

// TestWindowsPaths accepts paths longer than MAX_PATH, and treats letters that are equal
// only under Unicode case folding as different.
func TestWindowsPaths(t *testing.T) {
	long := strings.Repeat("/"+strings.Repeat("d", 255), 20)
	entries := []layer.Entry{
		{Path: long + "/file", Mode: 0o644},
		{Path: "/" + strings.Repeat("😀", 127), Mode: 0o644},
		{Path: "/i", Mode: 0o644},
		{Path: "/ı", Mode: 0o644},
		{Path: "/s", Mode: 0o644},
		{Path: "/ſ", Mode: 0o644},
		{Path: "/ß", Mode: 0o644},
		{Path: "/ss", Mode: 0o644},
	}
	if _, err := layer.Write(t.Context(), storetest.Open(t), entries, layer.Options{OS: "windows"}); err != nil {
		t.Error(err)
	}
}

// TestContentThatLies checks that content that differs from its announced size or
// digest leaves no blob behind.
func TestContentThatLies(t *testing.T) {
	broken := errors.New("the disk is gone")
	open1 := func(r io.Reader) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	}
	for _, tc := range []struct {
		name    string
		content func(layer.Content) layer.Content
		says    string
	}{
		{"too short", func(c layer.Content) layer.Content { c.Size++; return c }, "announced"},
		{"too long", func(c layer.Content) layer.Content { c.Size--; return c }, ""},
		{"other bytes", func(c layer.Content) layer.Content {
			c.Open = open1(strings.NewReader("CONTENT"))
			return c
		}, "announced"},
		{"no opening", func(c layer.Content) layer.Content {
			c.Open = func() (io.ReadCloser, error) { return nil, broken }
			return c
		}, broken.Error()},
		{"no reading", func(c layer.Content) layer.Content {
			c.Open = open1(io.MultiReader(strings.NewReader("con"), errorReader{broken}))
			return c
		}, broken.Error()},
	} {
		for _, z := range []layer.Compression{layer.Gzip, layer.Zstd} {
			t.Run(tc.name+" "+string(z), func(t *testing.T) {
				st := storetest.Open(t)
				_, err := layer.Write(t.Context(), st, []layer.Entry{
					{Path: "/app/file", Mode: 0o644, Content: tc.content(layer.Bytes([]byte("content")))},
				}, layer.Options{Compression: z})
				if err == nil {
					t.Fatal("it is written")
				}
				if !strings.Contains(err.Error(), "/app/file") || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("the error %q does not name the file and say %q", err, tc.says)
				}
				nothingIn(t, st.Dir())
			})
		}
	}
}

func TestCancelled(t *testing.T) {
	for _, z := range []layer.Compression{layer.Gzip, layer.Zstd} {
		t.Run(string(z), func(t *testing.T) {
			st := storetest.Open(t)
			ctx, cancel := context.WithCancel(t.Context())
			// The content cancels the context and never ends, so that only the
			// context can stop the write.
			endless := layer.Content{Size: 1 << 60, Open: func() (io.ReadCloser, error) {
				return io.NopCloser(readerFunc(func(p []byte) (int, error) {
					cancel()
					return len(p), nil
				})), nil
			}}
			_, err := layer.Write(ctx, st, []layer.Entry{{Path: "/endless", Mode: 0o644, Content: endless}},
				layer.Options{Compression: z})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			nothingIn(t, st.Dir())
		})
	}
}

func TestUnknownCompression(t *testing.T) {
	st := storetest.Open(t)
	_, err := layer.Write(t.Context(), st, nil, layer.Options{Compression: "lzma"})
	if err == nil || !strings.Contains(err.Error(), "use gzip or zstd") {
		t.Errorf("the error is %v", err)
	}
	nothingIn(t, st.Dir())
}

// nothingIn checks that a store has no records and no blobs, not even unfinished ones.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	for _, sub := range []string{"blobs", "cache", "work"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(p string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("%s is left behind", p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
