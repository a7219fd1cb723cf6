package assemble

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// An archive of inputs that was compressed before is not compressed again, unless the store lost it
// or a file has changed.
func TestInputsKnown(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, product.File)
	write := func(version string) {
		text := `apiVersion: slipway/v1
name: demo
version: ` + version + `
platforms: [linux/amd64]
sources: [{name: demo, directory: ., revision: none, created: 2025-01-01T00:00:00Z}]
bases: [{name: static, builtin: static}]
programs: [{name: demo, source: demo, package: .}]
images: [{name: demo, bases: {linux: static}, go: {program: demo}}]
`
		must(t, os.WriteFile(file, []byte(text), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n\ngo 1.26\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	}
	write("1.0.0")
	st, err := store.Open(filepath.Join(t.TempDir(), "store"))
	must(t, err)
	put := func() v1.Hash {
		p, err := product.Load(t.Context(), product.Options{Path: file})
		must(t, err)
		a, err := Inputs(t.Context(), p, nil, st)
		must(t, err)
		return v1.Hash{Algorithm: "sha256", Hex: a.SHA256}
	}
	first := put()
	before, err := os.Stat(st.Path(first))
	must(t, err)
	if again := put(); again != first {
		t.Errorf("the same files became %s, then %s", first, again)
	}
	after, err := os.Stat(st.Path(first))
	must(t, err)
	if !os.SameFile(before, after) {
		t.Error("the archive was written again")
	}
	must(t, os.Remove(st.Path(first)))
	if again := put(); again != first || !st.Has(first) {
		t.Errorf("of a lost archive: %s, in the store: %v", again, st.Has(first))
	}
	write("1.0.1")
	if changed := put(); changed == first || !st.Has(changed) {
		t.Errorf("another slipway.yaml has the archive %s", changed)
	}
}

// TestToolchains asks for the toolchain of each directory that programs are compiled in: a module
// within a source may choose another one than the source does.
func TestToolchains(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "auto")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	nested := filepath.Join(dir, "nested")
	must(t, os.Mkdir(nested, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n\ngo 1.24\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(nested, "go.mod"), []byte("module nested\n\ngo 1.24\n\ntoolchain go1.999.0\n"),
		0o644))
	s := product.Source{Name: "demo", Directory: dir, Own: true}
	programs := []program.Program{{Tree: source.Tree{Source: s, Dir: dir}}, {Tree: source.Tree{Source: s, Dir: nested}}}
	if all, err := toolchains(t.Context(), programs); err == nil || !strings.Contains(err.Error(), "go1.999.0") {
		t.Errorf("the toolchains are %+v, %v", all, err)
	}
	if version, err := GoVersion(t.Context(), programs); err == nil || !strings.Contains(err.Error(), "go1.999.0") {
		t.Errorf("the version is %s, %v", version, err)
	}
	here, err := source.Version(t.Context())
	must(t, err)
	if version, err := GoVersion(t.Context(), programs[:1]); err != nil || version != here {
		t.Errorf("the version is %s, %v, want %s", version, err, here)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
