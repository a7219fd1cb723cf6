package kustomize

import (
	"fmt"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/internal/regular"
)

// Files returns the files that [Build] reads for the kustomization in dir, slash-separated paths in
// the directory tree, sorted. What is wrong with the kustomization is left to Build.
func Files(tree, dir string) ([]string, error) {
	root, err := regular.OpenRoot(tree)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", tree, err)
	}
	defer root.Close()
	c := &collector{root: root, options: Options{Name: func(file string) string { return file }}, files: map[string][]byte{}, seen: map[string]bool{}}
	c.kustomization(path.Clean(dir), c.options.At, nil)
	slices.Sort(c.order)
	return c.order, nil
}
