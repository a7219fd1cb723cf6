// Package repository holds what is true of the repository as a whole.
package repository

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/slipway-dev/slipway"
	root   = "../.."
)

// order is the way that data flows: a package imports only what stands before it. Packages below
// one of these (build/layer) belong to it; those in internal have places of their own.
var order = []string{"output", "howto", "imagename", "disk", "subprocess", "platform", "oci", "progress", "network", "yamlfile", "workload", "product", "lock", "store", "registry", "transfer", "build", "publish", "render", "lint", "nodes", "bundle", "airgap", "release", "cmd"}

// apart are the edges that the order allows and the operator's side must not have: it is to hold
// no build code.
var apart = map[string]string{"airgap": "build", "bundle": "store", "lock": "product"}

func TestImportOrder(t *testing.T) {
	for dir, imports := range packages(t) {
		importer := top(dir)
		at := slices.Index(order, importer)
		if at < 0 {
			t.Errorf("package %s has no place in the order of imports: give it one, here and in the README", dir)
			continue
		}
		for _, i := range imports {
			imported := top(i)
			to := slices.Index(order, imported)
			if imported != importer && (to < 0 || to > at) {
				t.Errorf("%s imports %s, which does not stand before it", dir, i)
			}
			if apart[importer] == imported {
				t.Errorf("%s imports %s: a machine without Go needs %s, and no build code", dir, i, importer)
			}
		}
	}
}

// Mage compiles package target for every product: it must stay light.
func TestTargetIsLight(t *testing.T) {
	p, err := build.ImportDir(filepath.Join(root, "target"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range p.Imports {
		if strings.Contains(i, ".") && !strings.HasPrefix(i, "github.com/magefile/mage/") || i == "net/http" {
			t.Errorf("package target imports %s: mage has to compile that before it can say anything", i)
		}
	}
}

// packages maps the directory of every package to what it imports of this module, both relative
// to the module.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		hidden := strings.HasPrefix(d.Name(), ".") && rel != "."
		if hidden || d.Name() == "testdata" || slices.Contains([]string{"dist", "test", "internal/testing", "examples", "bench", "magefiles", "target"}, rel) {
			return filepath.SkipDir
		}
		p, err := build.ImportDir(path, 0)
		if _, none := err.(*build.NoGoError); none { //nolint:errorlint // ImportDir returns it bare
			return nil
		}
		if err != nil {
			return err
		}
		var imports []string
		for _, i := range p.Imports {
			if own, ok := strings.CutPrefix(i, module+"/"); ok {
				imports = append(imports, own)
			}
		}
		found[rel] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 5 {
		t.Fatalf("only %d packages found in %s", len(found), root)
	}
	return found
}

func top(dir string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(dir, "internal/"), "/")
	return name
}
