package source

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// Toolchain is what compiles the programs of a tree.
type Toolchain struct {
	// Version is that of the module golang.org/toolchain for this machine, whether it is from there
	// or not: v0.0.1-go1.26.8.linux-amd64.
	Version string
	// Sum is the h1: hash of that module if the module cache has the toolchain, which is then known
	// to the checksum database; "" for one that was installed on the machine.
	Sum string
}

// Toolchain returns the toolchain of the tree. It hashes that of the module cache.
func (t Tree) Toolchain(ctx context.Context) (Toolchain, error) {
	v, err := t.Variables(ctx, "its toolchain", "GOROOT", "GOVERSION", "GOMODCACHE", "GOHOSTOS", "GOHOSTARCH")
	if err != nil {
		return Toolchain{}, err
	}
	root, cache := v[0], v[2]
	tool := Toolchain{Version: fmt.Sprintf("v0.0.1-%s.%s-%s", v[1], v[3], v[4])}
	if root != filepath.Join(cache, "golang.org", "toolchain@"+tool.Version) {
		return tool, nil
	}
	tool.Sum, err = hashToolchain(root, "golang.org/toolchain@"+tool.Version)
	return tool, err
}

// hashToolchain returns the h1: hash of the module that a toolchain was unpacked from. In that, the
// files go.mod below src are named _go.mod (cmd/go/internal/toolchain, select.go).
func hashToolchain(root, prefix string) (string, error) {
	from := map[string]string{}
	var names []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if path.Base(name) == "go.mod" && strings.HasPrefix(name, "src/") {
			name = path.Join(path.Dir(name), "_go.mod")
		}
		name = path.Join(prefix, name)
		names, from[name] = append(names, name), p
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hashing %s: %w", root, err)
	}
	h, err := hash1(names, func(name string) (io.ReadCloser, error) { return regular.Open(from[name]) })
	if err != nil {
		return "", fmt.Errorf("hashing %s: %w", root, err)
	}
	return h, nil
}
