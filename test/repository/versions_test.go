package repository

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// apart are the modules whose versions are somebody else's, by the path of their go.mod.
var apart = map[string]string{
	"test/kpack":            "kpack's own versions",
	"test/workflows/runner": "act does not compile with newer modules of moby",
}

// older are the beginnings of paths of modules that one go.mod cannot have at the version of the others.
var older = map[string]string{
	"k8s.io/apiextensions-apiserver": "its next version brings Kubernetes's server into Slipway",
	"k8s.io/component-base":          "it belongs to the former",
	"github.com/Azure/go-ansiterm":   "nothing imports it on Linux",
	"go.etcd.io/":                    "dockerd has the former one of Kubernetes",
}

func isOlder(path string) bool {
	for begin := range older {
		if strings.HasPrefix(path, begin) {
			return true
		}
	}
	return false
}

// TestOneVersion checks that all go.mod files name the same version of a module: each other version
// of one that many import, such as golang.org/x/sys, compiles a thousand packages once more.
func TestOneVersion(t *testing.T) {
	type use struct{ version, file string }
	uses := map[string][]use{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		rel, _ := filepath.Rel(root, path)
		if d.Name() != "go.mod" || apart[filepath.ToSlash(filepath.Dir(rel))] != "" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := modfile.Parse(rel, text, nil)
		if err != nil {
			return err
		}
		versions := map[string]string{}
		for _, r := range f.Require {
			versions[r.Mod.Path] = r.Mod.Version
		}
		for _, r := range f.Replace {
			if delete(versions, r.Old.Path); r.New.Version != "" { // not a directory
				versions[r.New.Path] = r.New.Version
			}
		}
		for path, v := range versions {
			if v != "" && !isOlder(path) {
				uses[path] = append(uses[path], use{v, filepath.ToSlash(rel)})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(uses) < 300 {
		t.Fatalf("only %d modules were found", len(uses))
	}
	for path, all := range uses {
		slices.SortFunc(all, func(a, b use) int { return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(a.file, b.file)) })
		if first, last := all[0], all[len(all)-1]; first.version != last.version {
			t.Errorf("%s is %s in %s and %s in %s: name one version in both, or say in this test why not", path, first.version, first.file, last.version, last.file)
		}
	}
}
