package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/compile/source"
)

// TestReplacedPipe puts a pipe in a directory by which go.mod replaces a module.
func TestReplacedPipe(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "app")
	for _, d := range []string{dir, filepath.Join(top, "lib")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := "module example.com/app\n\ngo 1.24\n\nreplace example.com/lib => ../lib\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := source.CheckFiles(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(top, "lib", "go.mod")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := source.CheckFiles(t.Context(), dir); err == nil ||
		!strings.Contains(err.Error(), pipe+": it is a named pipe") {
		t.Errorf("a pipe in place of go.mod gives %v", err)
	}
}
