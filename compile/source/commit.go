package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/product"
)

// Commit is the commit of a directory source.
type Commit struct {
	Hash string
	// Revision is Hash, with "-dirty" behind it if the source has [product.Source.Changes]; "" if
	// git does not report it.
	Revision string
	Changes  []string
	In       string // the directory's path in its repository
	tree     *git.Tree
}

// Committed returns the commit of a directory source. ok is false if the directory is in no
// repository, lacks files of the commit, has repositories within it or changes, or slipway.yaml
// declares another revision. Files that git ignores are not looked at: ask [Commit.Has].
func Committed(ctx context.Context, s product.Source) (c Commit, ok bool) {
	ctx, end := git.Share(ctx)
	defer end()
	head, err := git.Head(ctx, s.Directory)
	if err != nil || s.Revision != "" && s.Revision != head.Hash {
		return c, false
	}
	changes, err := s.Changes(ctx)
	if err != nil {
		return c, false
	}
	c.Hash, c.Revision = head.Hash, head.Hash
	if len(changes) > 0 {
		c.Revision, c.Changes = c.Revision+dirty, changes
		return c, false
	}
	if c.In, err = git.Prefix(ctx, s.Directory); err != nil {
		return c, false
	}
	if c.tree, err = git.ReadTree(ctx, s.Directory); err != nil {
		return c, false
	}
	for _, dir := range append(s.Beyond(), s.Directory) {
		if absent, err := c.tree.Absent(dir); err != nil || absent != "" {
			return c, false
		}
	}
	return c, true
}

// Has reports whether the commit has a file, byte for byte.
func (c Commit) Has(path string) (bool, error) { return c.tree.Has(path) }

// Prove compares a module source with the commit that slipway.yaml declares, in a clone of its git
// repository, and returns the commit in full. temp is a directory for temporary files.
func Prove(ctx context.Context, s product.Source, repository, temp string) (hash string, err error) {
	if hash, err = prove(ctx, s, repository, temp); err != nil {
		return "", fmt.Errorf("%s: source %s: comparing it with %s: %w", s.Pos, s.Name, repository, err)
	}
	return hash, nil
}

func prove(ctx context.Context, s product.Source, repository, temp string) (hash string, err error) {
	if hash, err = git.Resolve(ctx, repository, s.Revision); errors.Is(err, git.ErrNone) {
		return "", err
	} else if err != nil {
		return "", fmt.Errorf("it does not have commit %s: fetch it, or correct the revision", s.Revision)
	}
	p, version, _ := strings.Cut(s.Module, "@")
	in, err := moduleIn(ctx, repository, hash, p)
	if err != nil {
		return "", err
	}
	dir, err := disk.Temp(temp)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	f, err := disk.Create(dir)
	if err != nil {
		return "", err
	}
	defer f.Abort()
	files, err := committed(ctx, repository, hash, in)
	if err != nil {
		return "", err
	}
	if err := zip.Create(f, module.Version{Path: p, Version: version}, files); err != nil {
		return "", err
	}
	sum, err := dirhash.HashZip(f.Name(), dirhash.Hash1)
	if err != nil {
		return "", err
	}
	if sum != s.Sum {
		return "", fmt.Errorf("commit %s has hash %s, and %s has %s: the module was not made from that commit",
			hash, sum, s.Module, s.Sum)
	}
	return hash, nil
}

// moduleIn returns the directory of a module in a commit: where the go.mod of its path is, and the
// root where none is.
func moduleIn(ctx context.Context, repository, hash, modulePath string) (string, error) {
	files, err := git.ListCommit(ctx, repository, hash)
	if err != nil {
		return "", err
	}
	for _, name := range files {
		if path.Base(name) != "go.mod" {
			continue
		}
		text, err := git.Show(ctx, repository, hash, name)
		if err != nil {
			return "", err
		}
		if modfile.ModulePath([]byte(text)) == modulePath {
			return strings.TrimPrefix(path.Dir(name), "."), nil
		}
	}
	if slices.Contains(files, "go.mod") {
		return "", fmt.Errorf("no go.mod of that commit declares %s: name a clone of the module's repository",
			modulePath)
	}
	return "", nil
}
