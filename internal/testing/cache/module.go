package cache

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Module is a Go module that is there for the programs that it requires, at the versions of its
// go.mod.
type Module struct {
	Dir  string
	Name string // of its directory in the cache, before the hash of go.mod and go.sum
}

// hashOwn adds the programs that the module has itself, which are in testdata, where no tool looks.
func (m Module) hashOwn(h io.Writer) error {
	root := filepath.Join(m.Dir, "testdata")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%s\n%s", filepath.ToSlash(strings.TrimPrefix(path, root)), b)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Overlay writes a file for the flag -overlay into a directory. Where go.mod has a directory
// without a go.mod in place of a module, it gives one: the go command wants it, and takes nothing
// from it.
func (m Module) Overlay(ctx context.Context, dir string) (string, error) {
	text, err := exec.CommandContext(ctx, "go", "-C", m.Dir, "mod", "edit", "-json").Output()
	if err != nil {
		return "", fmt.Errorf("reading go.mod: %w", err)
	}
	var mod struct {
		Go      string
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return "", err
	}
	stub := filepath.Join(dir, "go.mod")
	if err := os.WriteFile(stub, []byte("module stub\n\ngo "+mod.Go+"\n"), 0o644); err != nil {
		return "", err
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for _, r := range mod.Replace {
		own := filepath.Join(m.Dir, filepath.FromSlash(r.New.Path), "go.mod")
		if _, err := os.Stat(own); r.New.Version == "" && errors.Is(err, fs.ErrNotExist) {
			overlay.Replace[own] = stub
		}
	}
	if text, err = json.Marshal(overlay); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// Program returns the path of the program that is a package of what the module requires. The
// program has the name of the package's directory, and is compiled without cgo unless it needs
// that; flags are further ones for go build.
func (m Module) Program(ctx context.Context, pkg string, cgo bool, flags ...string) (string, error) {
	place, err := m.place()
	if err != nil {
		return "", err
	}
	return Program(ctx, place, path.Base(pkg), func(ctx context.Context, dir string) error {
		return m.build(ctx, filepath.Join(dir, path.Base(pkg)), cgo, append([]string{"-ldflags=-s -w"}, flags...), pkg)
	})
}

// Programs returns a directory of that name with programs that are packages of what the module
// requires. One go command compiles them side by side, and names each as it does without -o.
func (m Module) Programs(ctx context.Context, name string, flags []string, pkgs ...string) (string, error) {
	place, err := m.place()
	if err != nil {
		return "", err
	}
	return Program(ctx, place, name, func(ctx context.Context, dir string) error {
		return m.build(ctx, filepath.Join(dir, name)+string(filepath.Separator), false, flags, pkgs...)
	})
}

// place returns the name of the module's directory in the cache.
func (m Module) place() (string, error) {
	h := sha256.New()
	for _, file := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(m.Dir, file))
		if err != nil {
			return "", err
		}
		h.Write(b)
	}
	if err := m.hashOwn(h); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s-%x", m.Name, h.Sum(nil)), nil
}

// build builds programs at a path, which is a directory if it ends in a separator.
func (m Module) build(ctx context.Context, to string, cgo bool, flags []string, pkgs ...string) error {
	what := strings.Join(pkgs, ", ")
	fmt.Fprintf(os.Stderr, "building %s into the user's cache, once: minutes where nothing of it is compiled\n", what)
	enabled := "0"
	if cgo {
		enabled = "1"
	}
	tmp, err := os.MkdirTemp("", "overlay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	overlay, err := m.Overlay(ctx, tmp)
	if err != nil {
		return fmt.Errorf("building %s: %w", what, err)
	}
	args := append([]string{"build", "-C", m.Dir, "-overlay=" + overlay, "-trimpath", "-o", to}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, pkgs...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+enabled, "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", what, err, out)
	}
	return nil
}
