package source

import (
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/product"
)

// ChoosesToolchain reports whether the user has set GOTOOLCHAIN, so that it also applies to
// third-party sources.
func ChoosesToolchain() bool { return lookup(Environ(), "GOTOOLCHAIN") != "" }

// HasCacheProgram reports whether the go command keeps what it compiles by another program.
func HasCacheProgram() bool { return lookup(Environ(), "GOCACHEPROG") != "" }

// Asks returns the least Go version that the go.mod of a source asks for: "go1.26.1"; "" if the
// source has no go.mod of its own, and for a module that the module cache does not have.
func Asks(ctx context.Context, s product.Source) (string, error) {
	file := filepath.Join(s.Directory, "go.mod")
	if path, v, ok := strings.Cut(s.Module, "@"); ok {
		_, gomod, here := cached(ctx, path, v)
		if !here {
			return "", nil
		}
		file = gomod
	}
	text, err := regular.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	f, err := modfile.ParseLax(file, text, nil)
	if err != nil || f.Go == nil || !goversion.IsValid("go"+f.Go.Version) {
		return "", err
	}
	return "go" + f.Go.Version, nil
}

// Toolchain is what compiles the programs of a tree.
type Toolchain struct {
	// Version is that of the module golang.org/toolchain for this machine, whether it is from there
	// or not: v0.0.1-go1.26.8.linux-amd64.
	Version string
	// Sum is the h1: hash of that module if the module cache has the toolchain, which is then known
	// to the checksum database; "" for one that was installed on the machine.
	Sum string
}

// Toolchain returns the toolchain of the tree, with the hash of one in the module cache.
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
