package render

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/product"
)

// input is a file or directory that release.yaml is rendered from, on disk.
type input struct {
	tree string // the directory that holds everything it may refer to
	path string // slash-separated, in the tree
	// name returns the name of a file of the tree that a user knows: a path relative to
	// slipway.yaml, or SOURCE:PATH.
	name func(file string) string
}

// find returns where an entry of release is.
func find(ctx context.Context, p *product.Product, t product.Template) (input, error) {
	tree, dir, prefix := p.Root(), p.Dir, ""
	if t.Source != "" {
		s := p.Source(t.Source)
		fetched, err := source.Fetch(ctx, s)
		if err != nil {
			return input{}, err
		}
		dir, prefix = fetched.Dir, t.Source+":"
		if !s.Own {
			tree = dir
		}
	}
	rel, err := filepath.Rel(tree, filepath.Join(dir, filepath.FromSlash(t.Path)))
	if err != nil {
		return input{}, fmt.Errorf("%s: %w", t.Path, err)
	}
	if !filepath.IsLocal(rel) { // outside of the repository, as slipway.yaml shows
		tree = filepath.Join(dir, filepath.FromSlash(t.Path))
		return input{tree, ".", func(file string) string { return prefix + path.Join(t.Path, file) }}, nil
	}
	return input{tree, filepath.ToSlash(rel), func(file string) string {
		shown, err := filepath.Rel(dir, filepath.Join(tree, filepath.FromSlash(file)))
		if err != nil {
			return file
		}
		return prefix + strings.TrimSuffix(filepath.ToSlash(shown), "/.")
	}}, nil
}
