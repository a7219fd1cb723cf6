package repository

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// apart are the modules whose versions third parties choose, by the path of their go.mod.
var apart = map[string]string{
	"test/kpack":            "kpack's own versions",
	"test/workflows/runner": "act does not compile with newer modules of moby",
}

// older are the beginnings of paths of modules that one go.mod cannot have at the version of the
// others.
var older = map[string]string{
	"k8s.io/apiextensions-apiserver": "its next version brings Kubernetes's server into Slipway",
	"k8s.io/component-base":          "it belongs to the former",
	"github.com/Azure/go-ansiterm":   "nothing imports it on Linux",
	"go.yaml.in/yaml/v4":             "ko has a later candidate than the library of YAML schemas in Slipway",
	"go.etcd.io/":                    "dockerd has the former one of Kubernetes",
	"github.com/mattn/go-runewidth":  "buildx needs a later one than the bars of Slipway have",
}

func isOlder(module string) bool {
	for begin := range older {
		if strings.HasPrefix(module, begin) {
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
	walk(t, func(rel string) error {
		if filepath.Base(rel) != "go.mod" || apart[path.Dir(rel)] != "" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, rel))
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
		for module, v := range versions {
			if v != "" && !isOlder(module) {
				uses[module] = append(uses[module], use{v, rel})
			}
		}
		return nil
	})
	if len(uses) < 300 {
		t.Fatalf("only %d modules were found", len(uses))
	}
	for module, all := range uses {
		slices.SortFunc(all, func(a, b use) int {
			return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(a.file, b.file))
		})
		if first, last := all[0], all[len(all)-1]; first.version != last.version {
			t.Errorf("%s is %s in %s and %s in %s: name one version in both, or say in this test why not",
				module, first.version, first.file, last.version, last.file)
		}
	}
}
