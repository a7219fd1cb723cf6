package kustomize_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/kustomize"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAsKustomize compares with what kustomize itself makes of the same directories: two real
// trees, and one with a field of each kind.
func TestAsKustomize(t *testing.T) {
	trees := map[string][]string{unpack(t, "testdata/fields.txtar"): {"overlay", "base", "generated"}}
	for _, m := range []struct {
		module, sum, gomod string
		dirs               []string
	}{
		{
			"sigs.k8s.io/metrics-server@v0.7.2", "h1:0t1FhxdEHKHF/SduSRdkNHIYb24TpHqew2B/64GzOq8=",
			"h1:/EoP5DKGr7YYB/S9OWSbQ7pLPX2iXlLANFn80GC6G08=",
			[]string{"manifests/overlays/release", "manifests/overlays/release-ha-1.21+", "manifests/overlays/test"},
		},
		{
			"sigs.k8s.io/node-feature-discovery@v0.16.6", "h1:G+n0gStHnLojsLVLgP/ArsC2gwP1fkw7TrHr0MJ4x8k=",
			"h1:7qS1l8P6UdfLa/ec8VneMvINbdWbuhTuuQr1wZ7/Jbg=",
			[]string{"deployment/overlays/default", "deployment/overlays/prune", "deployment/overlays/topologyupdater"},
		},
	} {
		tree, err := source.Fetch(t.Context(), product.Source{
			Name: "m", Module: m.module, Sum: m.sum,
			GoModSum: m.gomod, Revision: "r", Created: time.Unix(1, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
		trees[tree.Dir] = m.dirs
	}
	for tree, dirs := range trees {
		for _, dir := range dirs {
			t.Run(filepath.Base(tree)+"/"+dir, func(t *testing.T) {
				got, err := kustomize.Build(t.Context(), tree, dir, kustomize.Options{})
				if err != nil {
					t.Fatal(err)
				}
				m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
					filepath.Join(tree, dir))
				if err != nil {
					t.Fatal(err)
				}
				want, err := m.AsYaml()
				if err != nil {
					t.Fatal(err)
				}
				if len(got) < 2 || !bytes.Equal(text(got), want) {
					t.Errorf("%d objects, got\n%s\nkustomize makes\n%s", len(got), text(got), want)
				}
			})
		}
	}
}

func text(list []kustomize.Object) []byte {
	var all [][]byte
	for _, o := range list {
		all = append(all, o.Text)
	}
	return bytes.Join(all, []byte("---\n"))
}

// TestPlaces writes next to each line which line of which file it is from.
func TestPlaces(t *testing.T) {
	tree := unpack(t, "testdata/fields.txtar")
	got, err := kustomize.Build(t.Context(), tree,
		"overlay", kustomize.Options{Name: func(file string) string { return "s:" + file }})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, o := range got {
		for n, line := range strings.Split(strings.TrimSpace(string(o.Text)), "\n") {
			at := ""
			if p, ok := o.Places[n+1]; ok {
				at = fmt.Sprintf("%s:%d", p.File, p.Line)
			}
			fmt.Fprintf(&b, "%-36s %s\n", at, line)
		}
		b.WriteByte('\n')
	}
	golden.Compare(t, *update, "testdata/places.txt", b.String())
}

// TestRefuses builds kustomizations that are wrong, or that need what is not in the tree: a
// server sees no request.
func TestRefuses(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		http.NotFound(w, nil)
	}))
	defer server.Close()
	files, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
			tree := write(t, slices.Delete(slices.Clone(a.Files), n, n+1), strings.NewReplacer("$SERVER", server.URL))
			if err := os.Symlink("/etc/passwd", filepath.Join(tree, "secret.yaml")); err != nil {
				t.Fatal(err)
			}
			_, err = kustomize.Build(t.Context(),
				tree, "app", kustomize.Options{At: yamlfile.Pos{File: "slipway.yaml", Line: 9, Column: 5}})
			got := ""
			if err != nil {
				got = strings.ReplaceAll(err.Error(), server.URL, "$SERVER") + "\n"
			}
			if *update {
				a.Files[n].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err == nil || got != string(a.Files[n].Data) {
				t.Errorf("got\n%swant\n%s", got, a.Files[n].Data)
			}
		})
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("the server has seen %d requests", n)
	}
}

// FuzzBuild checks that no kustomization leaves its tree or makes a panic. Every line of the
// result has to be from one of its files.
func FuzzBuild(f *testing.F) {
	a, err := txtar.ParseFile("testdata/fields.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, kustomization []byte) {
		tree := write(t, a.Files, strings.NewReplacer())
		if err := os.WriteFile(filepath.Join(tree, "overlay", "kustomization.yaml"), kustomization, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := kustomize.Build(t.Context(), tree, "overlay", kustomize.Options{})
		if err != nil && strings.Contains(err.Error(), "\n\n") {
			t.Errorf("the error has an empty line: %q", err)
		}
		for _, o := range got {
			for line, p := range o.Places {
				if _, err := os.Stat(filepath.Join(tree, p.File)); err != nil || p.Line < 1 {
					t.Errorf("line %d is from %+v", line, p)
				}
			}
		}
	})
}

// unpack writes the files of an archive and returns their directory.
func unpack(t testing.TB, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, a.Files, strings.NewReplacer())
}

func write(t testing.TB, files []txtar.File, r *strings.Replacer) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(r.Replace(string(f.Data))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
