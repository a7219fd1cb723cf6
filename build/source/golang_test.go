package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestHashToolchain hashes a toolchain as the go command leaves it: with the go.mod files of src
// copied to their own name.
func TestHashToolchain(t *testing.T) {
	v := module.Version{Path: "golang.org/toolchain", Version: "v0.0.1-go1.99.0.linux-amd64"}
	made := t.TempDir()
	for name, text := range map[string]string{"bin/go": "x", "src/_go.mod": "module std\n", "src/cmd/_go.mod": "module cmd\n", "misc/_go.mod": "module misc\n"} {
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
		text, err := os.ReadFile(filepath.Join(root, dir, "_go.mod"))
		if err == nil {
			err = os.WriteFile(filepath.Join(root, dir, "go.mod"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	st := storetest.Open(t)
	hash := func() string {
		t.Helper()
		files, err := toolchainFiles(root)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := files.sum(st, root, v.Path+"@"+v.Version)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if got := hash(); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
	// What was just written is hashed each time, and then no more until somebody touches a file: of
	// the same size and modification time, too.
	if _, err := os.Stat(filepath.Join(st.Dir(), "cache", kindToolchain)); err == nil {
		t.Error("the hash of files that were just written is remembered")
	}
	file = filepath.Join(root, "bin", "go")
	fi, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	files, err := toolchainFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	files.final = true // as if they were old
	if _, err := files.sum(st, root, v.Path+"@"+v.Version); err != nil {
		t.Fatal(err)
	}
	files.paths = nil // so that nothing can be hashed
	if got, err := files.sum(st, root, v.Path+"@"+v.Version); err != nil || got != want {
		t.Errorf("the hash is remembered as %q (%v), want %s", got, err, want)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, fi.ModTime(), fi.ModTime()); err != nil {
		t.Fatal(err)
	}
	if files, err = toolchainFiles(root); err != nil {
		t.Fatal(err)
	}
	files.final = true
	if got, err := files.sum(st, root, v.Path+"@"+v.Version); err != nil || got == want {
		t.Errorf("a changed compiler has the hash %s (%v)", got, err)
	}
}

// TestToolchain asks for the one that runs here.
func TestToolchain(t *testing.T) {
	tool, err := Tree{Dir: t.TempDir()}.Toolchain(t.Context(), storetest.Open(t))
	if err != nil || !strings.HasPrefix(tool.Version, "v0.0.1-go1.") || !strings.Contains(tool.Version, "-amd64") && !strings.Contains(tool.Version, "-arm64") {
		t.Errorf("%+v, %v", tool, err)
	}
}
