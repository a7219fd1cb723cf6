package inventory_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/image/inventory"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// program compiles a program that has a module with a version and one that a directory replaces.
func program(t *testing.T, goos string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.24\n\nrequire (\n\texample.com/lib v1.2.0\n\tgolang.org/x/mod " +
			"v0.0.0\n)\n\nreplace example.com/lib => ./lib\n\nreplace golang.org/x/mod => golang.org/x/mod " +
			modVersion(t) + "\n",
		"main.go": "package main\n\nimport (\n\t\"example.com/lib\"\n\t\"golang.org/x/mod/semver\"\n)\n\nfunc " +
			"main() { println(lib.Name, semver.IsValid(\"v1\")) }\n",
		"lib/go.mod": "module example.com/lib\n\ngo 1.24\n",
		"lib/lib.go": "package lib\n\nconst Name = \"lib\"\n",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	out := filepath.Join(dir, "app")
	cmd := exec.Command("go",
		append([]string{"build", "-mod=mod", "-trimpath", "-buildvcs=false", "-o", out}, append(flags, ".")...)...)
	cmd.Dir, cmd.Env = dir,
		append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH=amd64", "GOFLAGS=", "GONOSUMDB=*", "GONOSUMCHECK=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// modVersion is the version of golang.org/x/mod that this module needs, which is at hand.
func modVersion(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "golang.org/x/mod").Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

func newStore(t testing.TB) *store.Store {
	t.Helper()
	st, err := store.Open(t.TempDir())
	must(t, err)
	return st
}

// TestProgram reads programs that the go command has linked, also stripped ones, for both systems.
func TestProgram(t *testing.T) {
	for _, tc := range []struct {
		os, format string
		flags      []string
	}{{"linux", "ELF", nil}, {"linux", "ELF", []string{"-ldflags=-s -w"}}, {"windows", "PE", nil}} {
		path, st := program(t, tc.os, tc.flags...), newStore(t)
		c, err := layer.File(st, path)
		must(t, err)
		p, err := inventory.Program(t.Context(), st, c)
		must(t, err)
		b, err := os.ReadFile(path)
		must(t, err)
		sum := sha512.Sum512(b)
		if p.Digest != c.Digest || p.SHA512 != hex.EncodeToString(sum[:]) || p.Size != int64(len(b)) ||
			p.Format != tc.format || p.OS != tc.os || p.Architecture != "amd64" {
			t.Errorf("the program is %+v", p)
		}
		if p.Package != "example.com/app" || p.Main != (lock.Module{Path: "example.com/app", Version: "(devel)"}) ||
			!strings.HasPrefix(p.Go, "go1.") {
			t.Errorf("the program is %+v", p)
		}
		if !slices.Contains(p.Settings, lock.Setting{Key: "GOOS", Value: tc.os}) {
			t.Errorf("the settings are %v", p.Settings)
		}
		want := []lock.Module{
			{Path: "example.com/lib", Version: "v1.2.0", Replace: &lock.Module{Path: "./lib", Version: "(devel)"}},
			{
				Path: "golang.org/x/mod", Version: "v0.0.0",
				Replace: &lock.Module{Path: "golang.org/x/mod", Version: modVersion(t), Sum: p.Modules[1].Replace.Sum},
			},
		}
		if d := cmp.Diff(want, p.Modules); d != "" || !strings.HasPrefix(want[1].Replace.Sum, "h1:") {
			t.Errorf("(-want +got):\n%s", d)
		}
		// It is remembered: the file is not read again.
		c.Open = func() (io.ReadCloser, error) { return nil, errors.New("read twice") }
		again, err := inventory.Program(t.Context(), st, c)
		if d := cmp.Diff(p, again); err != nil || d != "" {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	}
}

// TestForeign reads programs without build information that can be read. They are listed by hash.
func TestForeign(t *testing.T) {
	original, err := os.ReadFile(program(t, "linux"))
	must(t, err)
	damaged := bytes.ReplaceAll(slices.Clone(original), []byte("\xff Go buildinf:"), []byte("\xff Go buildxyz:"))
	var packed bytes.Buffer // as a packer writes it: a loader, and the program compressed
	packed.Write(programtest.ELF(programtest.Needs{}))
	z := gzip.NewWriter(&packed)
	_, err = z.Write(original)
	must(t, errors.Join(err, z.Close()))
	for name, b := range map[string][]byte{
		"of another language": programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll"}}),
		"packed":              packed.Bytes(),
		"cut":                 original[:4096],
		"damaged":             damaged,
		"only a header":       original[:64],
	} {
		t.Run(name, func(t *testing.T) {
			c, st := layer.Bytes(b), newStore(t)
			p, err := inventory.Program(t.Context(), st, c)
			sum := sha512.Sum512(b)
			want := lock.Program{
				Digest: c.Digest, SHA512: hex.EncodeToString(sum[:]), Size: c.Size,
				Format: p.Format, OS: p.OS, Architecture: p.Architecture,
			}
			if d := cmp.Diff(want, p); err != nil || d != "" || p.Format == "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
}

// TestChanged checks that a program whose bytes are not those of its digest is not recorded.
func TestChanged(t *testing.T) {
	st := newStore(t)
	path := filepath.Join(t.TempDir(), "app")
	must(t, os.WriteFile(path, programtest.ELF(programtest.Needs{}), 0o755))
	c, err := layer.File(st, path)
	must(t, err)
	must(t, os.WriteFile(path, programtest.ELF(programtest.Needs{Text: "another"}), 0o755))
	if _, err := inventory.Program(t.Context(), st, c); err == nil ||
		!strings.Contains(err.Error(), "do not change files while they are read") {
		t.Errorf("the error is %v", err)
	}
	c.Open = func() (io.ReadCloser, error) { return nil, errors.New("it is read again") }
	if _, err := inventory.Program(t.Context(), st, c); err == nil ||
		!strings.Contains(err.Error(), "it is read again") {
		t.Errorf("it is recorded: %v", err)
	}
}

// withInfo returns a program whose build information is replaced by a text of the same length or
// shorter.
func withInfo(program []byte, text string) []byte {
	const start, end = "0w\xaf\f\x92t\b\x02A\xe1\xc1\a\xe6\xd6\x18\xe6", "\xf92C1\x86\x18 r\x00\x82B\x10A\x16\xd8\xf2"
	b := slices.Clone(program)
	for rest := b; ; { // the linker writes it twice
		_, after, ok := bytes.Cut(rest, []byte(start))
		if !ok {
			return b
		}
		room := bytes.Index(after, []byte(end))
		copy(after[:max(0, room)], text[:min(len(text), max(0, room))]+strings.Repeat("\n", max(0, room-len(text))))
		rest = after
	}
}

// TestForgedInfo reads build information with characters that no document should have.
func TestForgedInfo(t *testing.T) {
	original, err := os.ReadFile(program(t, "linux"))
	must(t, err)
	b := withInfo(original, "path\tx\x1b[31m\nmod\tx\"}\xff\t(devel)\t\ndep\ta\u202eb\tv1\th1:x\n")
	p, err := inventory.Program(t.Context(), newStore(t), layer.Bytes(b))
	must(t, err)
	if p.Package != "x\ufffd[31m" || p.Main.Path != "x\"}\ufffd" || len(p.Modules) != 1 ||
		p.Modules[0].Path != "a\ufffdb" {
		t.Errorf("the program is %+v", p)
	}
}
