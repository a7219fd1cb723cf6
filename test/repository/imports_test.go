// Package repository checks rules that concern the repository, not one package.
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

// order is the way that data flows: a package imports only what stands before it. Every package has
// its place here; those in internal without that word.
var order = []string{
	"distfile", "gzipped", "heap", "howto", "lazyregexp", "imagename", "imagetag", "once", "outcome", "output",
	"plainjson", "progress", "purl", "regular", "disk", "keyfile", "stagefile", "subprocess", "git", "sandbox",
	"signature", "yamlfile", "airgap/bundle/seekable", "compile/times",
	"containerfile/mistake", "containerfile/script", "image/environment",
	"platform", "platform/distribution", "oci", "network", "airgap/bundle",
	"compile/cache", "image/executable", "lock", "assemble/built",
	"evidence/provenance", "evidence/sbom", "product", "compile/source",
	"render/renderer", "render/kustomize", "render/kustomize/engine", "render/workload", "render/chart",
	"render/chart/engine", "render/engines", "render",
	"lint", "lint/nodes", "product/references", "report/changes",
	"scaffold/bake", "scaffold/makefile", "scaffold/shell", "shard", "shard/jobs",
	"store", "evidence", "image/deflate", "image/layer", "image/archive", "image/imagefile", "image/inventory",
	"image/manifest", "image/base", "image/tree", "image/entrypoint", "image/packages", "image/webfile",
	"assemble/artifact", "assemble/builder", "assemble/inputs", "assemble/lifecycle",
	"compile/prebuilt", "compile/program", "containerfile/modechange", "containerfile/system",
	"containerfile/run", "containerfile", "publish/github", "registry", "registry/transfer",
	"renaming", "airgap", "assemble", "audit", "product/pin", "publish", "publish/promote",
	"release/doctor", "report", "report/notes", "release", "release/reproduce",
	"scaffold", "shard/handoff", "cmd/slipway",
}

// contents are what some packages may contain, directly or through what they import. The
// operator's half, airgap and bundle, runs on machines that have neither Go nor the project: it
// has no build code. A bundle is a file, and knows nothing of registries, stores and products.
var contents = map[string][]string{
	"lock": {
		"lazyregexp", "distfile", "output", "howto", "once", "outcome", "imagename", "disk", "regular", "plainjson",
		"stagefile", "platform", "oci",
	},
	"registry/transfer": {
		"lazyregexp", "distfile", "output", "howto", "once", "outcome", "imagename", "imagetag", "disk", "regular",
		"plainjson", "stagefile", "subprocess", "signature", "platform", "oci", "progress", "network", "lock", "store",
	},
	"airgap/bundle": {
		"airgap/bundle/seekable", "lazyregexp", "gzipped", "distfile", "output", "howto", "once", "outcome", "imagename", "disk", "regular", "plainjson",
		"platform", "oci", "progress",
	},
	"airgap": {
		"lazyregexp", "gzipped", "distfile", "output", "howto", "once", "outcome", "imagename", "imagetag", "regular", "disk",
		"plainjson", "stagefile", "subprocess", "platform", "oci", "progress", "network", "yamlfile", "render/renderer",
		"render/chart", "lock", "store", "registry/transfer", "renaming", "airgap/bundle",
		"airgap/bundle/seekable", "signature",
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
const rooms, arrows = 21, 134

// largest is the share of the lines of the product that a room may have.
const largest = 0.20

// TestRooms counts rooms and arrows. Another one is a decision: change the numbers by hand. No room
// is so large that the others are its annexes.
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
	lines, whole := map[string]int{}, 0
	for _, f := range goFiles(t) {
		if name := room(f.path); all[name] && !strings.HasSuffix(f.path, "_test.go") {
			n := f.set.File(f.Package).LineCount()
			lines[name] += n
			whole += n
		}
	}
	for name, n := range lines {
		if share := float64(n) / float64(whole); share > largest {
			t.Errorf("%s has %.0f %% of the lines: make rooms of its parts, or less of it", name, 100*share)
		}
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
		"airgap": {"publish", "lock"}, "publish": {"lock", "assemble/index"},
		"assemble/index": nil,
	}, "airgap")
	if path := strings.Join(got["assemble/index"], " "); path != "airgap publish assemble/index" || len(got) != 3 {
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

// place is how order names a package.
func place(dir string) string { return strings.TrimPrefix(dir, "internal/") }
