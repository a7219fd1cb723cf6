package source

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/store"
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

// Toolchain returns the toolchain of the tree. It hashes that of the module cache, once: st
// remembers the hash for as long as nobody touches a file of it.
func (t Tree) Toolchain(ctx context.Context, st *store.Store) (Toolchain, error) {
	names := []string{"GOROOT", "GOVERSION", "GOMODCACHE", "GOHOSTOS", "GOHOSTARCH"}
	out, err := t.Go(ctx, append([]string{"env"}, names...)...).Output()
	if err != nil {
		return Toolchain{}, fmt.Errorf("asking the go command for its toolchain: %w", Said(err))
	}
	v := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(v) != len(names) {
		return Toolchain{}, fmt.Errorf("the go command answers %q to go env %s", out, strings.Join(names, " "))
	}
	root, cache := v[0], v[2]
	tool := Toolchain{Version: fmt.Sprintf("v0.0.1-%s.%s-%s", v[1], v[3], v[4])}
	if root != filepath.Join(cache, "golang.org", "toolchain@"+tool.Version) {
		return tool, nil
	}
	files, err := toolchainFiles(root)
	if err == nil {
		tool.Sum, err = files.sum(st, root, "golang.org/toolchain@"+tool.Version)
	}
	if err != nil {
		return tool, fmt.Errorf("hashing %s: %w", root, err)
	}
	return tool, nil
}

// toolchain are the files of a toolchain.
type toolchain struct {
	paths  map[string]string // by their names in its module
	stamps string            // a line for each file, in the order of the directory
	final  bool              // whether the hash may be remembered by them
}

// toolchainFiles lists the files of a toolchain. In its module, the files go.mod below src are named
// _go.mod; the go command copies these and leaves them (cmd/go/internal/toolchain, select.go). Of
// the two, that which compilers read is listed.
func toolchainFiles(root string) (toolchain, error) {
	t := toolchain{paths: map[string]string{}, final: true}
	var stamps strings.Builder
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		stamp, final := disk.Stamp(fi)
		t.final = t.final && final && fi.Mode().IsRegular()
		fmt.Fprintf(&stamps, "%q %s\n", name, stamp)
		if path.Base(name) == "go.mod" && strings.HasPrefix(name, "src/") {
			name = path.Join(path.Dir(name), "_go.mod")
		}
		t.paths[name] = p
		return nil
	})
	t.stamps = stamps.String()
	return t, err
}

// kindToolchain is the kind of records of the hashes of toolchains.
const kindToolchain = "toolchain"

// sum returns the h1: hash of the module that the toolchain was unpacked from.
func (t toolchain) sum(st *store.Store, root, prefix string) (sum string, err error) {
	key := root + "\n" + t.stamps
	if t.final {
		if ok, err := st.Recall(kindToolchain, key, &sum); ok || err != nil {
			return sum, err
		}
	}
	var names []string
	for name := range t.paths {
		names = append(names, path.Join(prefix, name))
	}
	sum, err = dirhash.Hash1(names, func(name string) (io.ReadCloser, error) {
		return os.Open(t.paths[strings.TrimPrefix(name, prefix+"/")])
	})
	if err != nil || !t.final {
		return sum, err
	}
	return sum, st.Record(kindToolchain, key, sum)
}
