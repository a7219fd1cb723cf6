// Package repository checks rules that concern the repository, not one package.
package repository

import (
	"go/build"
	"io/fs"
	"path"
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
// one of these (build/layer) belong to it, unless they have a place of their own (build/cache).
// Those in internal have places of their own, without that word.
var order = []string{
	"heap", "lazyregexp", "gzipped", "distfile", "output", "howto", "once", "outcome", "imagename", "imagetag", "regular", "disk",
	"plainjson", "stagefile", "subprocess", "sandbox", "keyfile",
	"signature", "purl", "git", "platform", "oci", "progress", "network", "yamlfile", "renderer",
	"workload", "chart", "kustomize",
	"product", "lock", "build/times", "shard", "shard/jobs", "evidence/provenance", "evidence/sbom",
	"product/references", "store", "registry", "transfer",
	"build/cache", "product/pin", "renaming", "build", "publish", "render", "lint", "lint/nodes",
	"airgap/bundle", "evidence", "shard/handoff",
	"airgap", "publish/promote", "report/changes", "report", "release", "release/reproduce", "report/notes",
	"publish/github", "release/doctor",
	"scaffold", "cmd",
}

// contents are what some packages may contain, directly or through what they import. The
// operator's half, airgap and bundle, runs on machines that have neither Go nor the project: it
// has no build code. A bundle is a file, and knows nothing of registries, stores and products.
var contents = map[string][]string{
	"lock": {
		"lazyregexp", "distfile", "output", "howto", "once", "outcome", "imagename", "disk", "regular", "plainjson",
		"stagefile", "platform", "oci",
	},
	"transfer": {
		"lazyregexp", "distfile", "output", "howto", "once", "outcome", "imagename", "imagetag", "disk", "regular",
		"plainjson", "stagefile", "subprocess", "signature", "platform", "oci", "progress", "network", "lock", "store",
	},
	"airgap/bundle": {
		"lazyregexp", "gzipped", "distfile", "output", "howto", "once", "outcome", "imagename", "disk", "regular", "plainjson",
		"platform", "oci", "progress",
	},
	"airgap": {
		"lazyregexp", "gzipped", "distfile", "output", "howto", "once", "outcome", "imagename", "imagetag", "regular", "disk",
		"plainjson", "stagefile", "subprocess", "platform", "oci", "progress", "network", "yamlfile", "renderer",
		"workload", "chart", "lock", "store", "transfer", "renaming", "airgap/bundle", "signature",
		"evidence/provenance",
	},
}

func TestImportOrder(t *testing.T) {
	for dir, imports := range packages(t) {
		importer := place(dir)
		at := slices.Index(order, importer)
		if at < 0 {
			t.Errorf("package %s has no place in the order of imports: add it here and to docs/packages.md", dir)
			continue
		}
		for _, i := range imports {
			to := slices.Index(order, place(i))
			if place(i) != importer && (to < 0 || to > at) {
				t.Errorf("%s imports %s, which comes later in the order", dir, i)
			}
		}
	}
}

// The tour of docs/packages.md: directories at the top with packages of the command, internal among
// them, and pairs of these of which one imports the other.
const rooms, arrows = 16, 86

// TestRooms counts rooms and arrows. Another one is a decision: change the numbers by hand.
func TestRooms(t *testing.T) {
	room := func(dir string) string { name, _, _ := strings.Cut(dir, "/"); return name }
	all, pairs := map[string]bool{}, map[[2]string]bool{}
	for dir, imports := range packages(t) {
		all[room(dir)] = true
		for _, i := range imports {
			if room(i) != room(dir) {
				pairs[[2]string{room(dir), room(i)}] = true
			}
		}
	}
	if len(all) != rooms || len(pairs) != arrows {
		t.Errorf("there are %d rooms with %d arrows between them, not %d with %d", len(all), len(pairs), rooms, arrows)
	}
}

func TestContents(t *testing.T) {
	all := packages(t)
	for name, allowed := range contents {
		for dir := range all {
			if place(dir) != name {
				continue
			}
			for dep, path := range closure(all, dir) {
				if place(dep) != name && !slices.Contains(allowed, place(dep)) {
					t.Errorf("%s contains %s, by %s", dir, dep, strings.Join(path, " → "))
				}
			}
		}
	}
}

func TestClosure(t *testing.T) {
	got := closure(map[string][]string{
		"airgap": {"publish", "lock"}, "publish": {"lock", "build/index"},
		"build/index": nil,
	}, "airgap")
	if path := strings.Join(got["build/index"], " "); path != "airgap publish build/index" || len(got) != 3 {
		t.Errorf("the closure is %v", got)
	}
}

// closure maps each package that dir imports, directly or not, to the shortest path to it.
func closure(imports map[string][]string, dir string) map[string][]string {
	found := map[string][]string{}
	queue := [][]string{{dir}}
	for n := 0; n < len(queue); n++ {
		path := queue[n]
		for _, i := range imports[path[len(path)-1]] {
			if found[i] == nil {
				found[i] = append(slices.Clone(path), i)
				queue = append(queue, found[i])
			}
		}
	}
	return found
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
		if hidden || d.Name() == "testdata" ||
			slices.Contains([]string{"dist", "test", "internal/testing", "examples", "magefiles", "target", "docs"},
				rel) {
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

// place returns the entry of order that a package belongs to: its own, or that of the directory
// above.
func place(dir string) string {
	dir = strings.TrimPrefix(dir, "internal/")
	for !slices.Contains(order, dir) && strings.Contains(dir, "/") {
		dir = path.Dir(dir)
	}
	return dir
}
