package cache

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModule compiles a program of a module, and again when its go.mod has changed.
func TestModule(t *testing.T) {
	compiled, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(compiled))) // it is in the user's cache, too
	root, module := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOFLAGS", "-tags=theirs")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const mod = "module example.com/demo\n\ngo 1.24\n"
	write("go.mod", mod)
	write("go.sum", "")
	write("cmd/tool/main.go", "package main\n\nfunc main() { println(tag) }\n")
	write("cmd/tool/theirs.go", "//go:build theirs\n\npackage main\n\nthis does not compile\n")
	write("cmd/tool/tag.go", "//go:build special\n\npackage main\n\nconst tag = 1\n")
	m := Module{Dir: module, Name: "demo"}
	if _, err := m.Program(t.Context(), "example.com/demo/cmd/tool", false); err == nil ||
		!strings.Contains(err.Error(), "building example.com/demo/cmd/tool: ") ||
		!strings.Contains(err.Error(), "undefined: tag") {
		t.Errorf("the error is %v", err)
	}
	for _, text := range []string{mod, mod + "\n// another\n"} {
		write("go.mod", text)
		path, err := m.Program(t.Context(), "example.com/demo/cmd/tool", false, "-tags=special")
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(root, "slipway", fmt.Sprintf("demo-%x", sha256.Sum256([]byte(text))),
			"tool"); path != want {
			t.Errorf("the program is %s, want %s", path, want)
		}
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	// A program of the module itself is in testdata, and is compiled again when it has changed.
	var paths []string
	for _, text := range []string{"package main\n\nfunc main() {}\n", "package main\n\nfunc main() { println() }\n"} {
		write("testdata/own/main.go", text)
		path, err := m.Program(t.Context(), "example.com/demo/testdata/own", false)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if paths[0] == paths[1] {
		t.Errorf("both programs are %s", paths[0])
	}
}
