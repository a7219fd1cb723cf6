package inputs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/kustomize"
)

// Lacking returns the first file in a directory that slipway.yaml names and has does not report;
// "" for none.
func Lacking(p *product.Product, dir string, has func(path string) (bool, error)) (lacking string, err error) {
	look := func(path string) error {
		if lacking != "" || !disk.Within(dir, path) {
			return nil
		}
		ok, err := has(path)
		if !ok {
			lacking = path
		}
		return err
	}
	for _, i := range p.Inputs() {
		if !disk.Within(dir, i.Path) && !i.Kustomize {
			continue
		}
		err := visit(p, i, func(full string, fi fs.FileInfo, _ bool) error {
			if err := look(full); err != nil || full != i.Path || fi.IsDir() {
				return err
			}
			target, err := filepath.EvalSymlinks(full) // a file is read, not copied
			if err != nil {
				return err
			}
			return look(target)
		})
		if err != nil {
			return "", fmt.Errorf("comparing %s with its commit: %w", i.Path, err)
		}
	}
	return lacking, nil
}

// visit calls do for everything that an input names. exact reports whether modes count.
func visit(p *product.Product, i product.Input, do func(full string, fi fs.FileInfo, exact bool) error) error {
	fi, err := os.Stat(i.Path)
	switch {
	case err != nil:
		return err
	case i.Kustomize:
		return visitKustomization(p, i.Path, do)
	}
	if err := do(i.Path, fi, i.Context && fi.IsDir()); err != nil || !fi.IsDir() {
		return err
	}
	ignore := []string{os.DevNull} // nothing is ignored
	if i.Context {
		ignore = i.Ignore
		own := filepath.Join(i.Path, ".dockerignore")
		if fi, err := os.Stat(own); err == nil {
			if err := do(own, fi, true); err != nil {
				return err
			}
		}
	}
	return walk(p, i.Path, ignore, func(full string, fi fs.FileInfo) error { return do(full, fi, i.Context) })
}

// visitKustomization visits the files of a kustomization, wherever in the repository they are.
func visitKustomization(p *product.Product, dir string, do func(full string, fi fs.FileInfo, exact bool) error) error {
	root := p.Root()
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return err
	}
	files, err := kustomize.Files(root, filepath.ToSlash(rel))
	if err != nil {
		return err
	}
	for _, f := range files {
		full := filepath.Join(root, filepath.FromSlash(f))
		fi, err := os.Stat(full)
		if err != nil {
			return err
		}
		if err := do(full, fi, false); err != nil {
			return err
		}
	}
	return nil
}

// walk calls do for everything in a directory, but for what this run and others of slipway make.
func walk(p *product.Product, dir string, ignore []string, do func(full string, fi fs.FileInfo) error) error {
	return tree.Walk(dir, p.MadeIn(dir), ignore, func(name string, fi fs.FileInfo) error {
		return do(filepath.Join(dir, filepath.FromSlash(name)), fi)
	})
}
