package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// TestHashToolchain hashes a toolchain as the go command unpacks it: with the go.mod files of src
// under their own name.
func TestHashToolchain(t *testing.T) {
	v := module.Version{Path: "golang.org/toolchain", Version: "v0.0.1-go1.99.0.linux-amd64"}
	made := t.TempDir()
	for name, text := range map[string]string{
		"bin/go": "x", "src/_go.mod": "module std\n",
		"src/cmd/_go.mod": "module cmd\n", "misc/_go.mod": "module misc\n",
	} {
		p := filepath.Join(made, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "zip")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(f, v, made); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := dirhash.HashZip(file, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "toolchain@"+v.Version)
	if err := zip.Unzip(root, v, file); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"src", "src/cmd"} {
		if err := os.Rename(filepath.Join(root, dir, "_go.mod"), filepath.Join(root, dir, "go.mod")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := hashToolchain(root, v.Path+"@"+v.Version); err != nil || got != want {
		t.Errorf("the hash is %s (%v), want %s", got, err, want)
	}
}

// TestToolchain asks for the one that runs here.
func TestToolchain(t *testing.T) {
	tool, err := Tree{Dir: t.TempDir()}.Toolchain(t.Context())
	if err != nil || !strings.HasPrefix(tool.Version, "v0.0.1-go1.") || !strings.Contains(tool.Version, "-amd64") &&
		!strings.Contains(tool.Version, "-arm64") {
		t.Errorf("%+v, %v", tool, err)
	}
}
