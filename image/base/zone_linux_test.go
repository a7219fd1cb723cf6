package base_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/slipway-dev/slipway/product"
)

const clock = `package main

import (
	"fmt"
	"time"
)

func main() {
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC).In(l).Format("15:04 MST"))
}
`

// TestZoneOfProgram runs a Go program on the files of the static base, where it finds the time zone
// that it asks for. Without them it finds none.
func TestZoneOfProgram(t *testing.T) {
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{Name: "static", Builtin: "static"}}}
	root := t.TempDir()
	src := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(src, []byte(clock), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", filepath.Join(root, "clock"), src)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := inRoot(t, root, "/clock"); got != "unknown time zone Europe/Berlin" {
		t.Fatalf("without the base: %s", got)
	}
	extract(t, resolve(t, p, "static", "linux/amd64").Image, root)
	if got := inRoot(t, root, "/clock"); got != "14:00 CEST" {
		t.Errorf("on the base: %s", got)
	}
}

// inRoot runs a program with another root directory and without an environment.
func inRoot(t *testing.T, root, program string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) && os.Getuid() != 0 {
		t.Skip("this user may make no user namespaces, without which only root may change the root directory")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// extract writes the files of an image, all of them as this user's.
func extract(t *testing.T, i v1.Image, root string) {
	t.Helper()
	r := mutate.Extract(i)
	defer r.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(to, 0o755)
		case tar.TypeSymlink:
			err = os.Symlink(h.Linkname, to)
		default:
			var text []byte
			if text, err = io.ReadAll(tr); err == nil {
				err = os.WriteFile(to, text, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
