//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/regular"
)

// odd makes a file of each kind that is not regular, and links to them.
func odd(t *testing.T, dir string) map[string]string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	must(err)
	t.Cleanup(func() { l.Close() })
	must(os.Symlink("pipe", filepath.Join(dir, "link")))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "device")))
	return map[string]string{"pipe": "a named pipe", "link": "a named pipe", "socket": "a socket", "device": "a device"}
}

// soon fails the test if do does not return: it waits for a pipe.
func soon(t *testing.T, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
		return nil
	}
}

func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // the path of a socket is short
	files := odd(t, ".")
	if err := os.WriteFile("text", []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := regular.OpenRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, do := range map[string]func(string) error{
		"Open":           func(p string) error { f, err := regular.Open(p); f.Close(); return err },
		"Read":           func(p string) error { _, err := regular.Read(p); return err },
		"OpenRoot":       func(p string) error { _, err := regular.OpenRoot(p); return err },
		"Root.Open":      func(p string) error { f, err := root.Open(p); f.Close(); return err },
		"Root.ReadFile":  func(p string) error { _, err := root.ReadFile(p); return err },
		"Root.FS":        func(p string) error { _, err := root.FS().Open(p); return err },
		"Root.FS, whole": func(p string) error { _, err := fs.ReadFile(root.FS(), p); return err },
		"Root.FS, list":  func(p string) error { _, err := fs.ReadDir(root.FS(), p); return err },
	} {
		t.Run(name, func(t *testing.T) {
			for file, kind := range files {
				err := soon(t, func() error { return do(file) })
				if err == nil {
					t.Errorf("%s was opened", file)
					continue
				}
				var not *regular.NotRegularError
				if kind == "a device" && strings.HasPrefix(name, "Root") {
					continue // a link out of the directory
				}
				if name == "OpenRoot" || strings.Contains(name, "list") {
					continue // it is not a directory
				}
				if !errors.As(err, &not) || !strings.Contains(err.Error(), file+": it is "+kind) {
					t.Errorf("%s: %v", file, err)
				}
			}
			if name != "OpenRoot" && !strings.Contains(name, "list") {
				if err := do("text"); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestGiven(t *testing.T) {
	t.Chdir(t.TempDir())
	odd(t, ".")
	go os.WriteFile("pipe", []byte("text"), 0) //nolint:errcheck // the reader reports it
	got, err := regular.Given("pipe", 4)
	if err != nil || string(got) != "text" {
		t.Errorf("a pipe gives %q, %v", got, err)
	}
	go os.WriteFile("pipe", []byte("texts"), 0) //nolint:errcheck // as above
	if _, err := regular.Given("pipe", 4); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a long pipe gives %v", err)
	}
	for _, name := range []string{"socket", "device"} {
		if err := soon(t, func() error { _, err := regular.Given(name, 4); return err }); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestTree(t *testing.T) {
	t.Chdir(t.TempDir())
	odd(t, ".")
	goFile := func(name string) bool { return strings.HasSuffix(name, ".go") }
	if err := regular.Tree(t.Context(), ".", goFile); err != nil {
		t.Errorf("files with other names: %v", err)
	}
	for _, to := range []string{"pipe", "socket", "device"} {
		if err := os.MkdirAll("a", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../"+to, "a/x.go"); err != nil {
			t.Fatal(err)
		}
		var not *regular.NotRegularError
		if err := regular.Tree(t.Context(), ".", goFile); !errors.As(err, &not) ||
			!strings.Contains(err.Error(), filepath.Join("a", "x.go")) {
			t.Errorf("a link to %s: %v", to, err)
		}
		if err := os.RemoveAll("a"); err != nil {
			t.Fatal(err)
		}
	}
}
