package lint_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lint"
)

var update = flag.Bool("update", false, "write the golden files anew")

// judged has every finding in the products, with a verdict.
const judged = "testdata/products.golden.yaml"

// upstream is a product and what of its module is linted, as testdata/products.yaml lists it.
type upstream struct {
	Module string `json:"module"` // path@version
	Sum    string `json:"sum"`    // of the module, as in go.sum
	// YAML are patterns of files; those of a pattern are linted together.
	YAML []string `json:"yaml,omitempty"`
	// Kustomize are directories with a kustomization.
	Kustomize []string        `json:"kustomize,omitempty"`
	Charts    []upstreamChart `json:"charts,omitempty"`
}

// upstreamChart is a chart, which is linted with its own values and with those of each case.
type upstreamChart struct {
	Path     string `json:"path"`
	Metadata string `json:"metadata,omitempty"` // the file that becomes Chart.yaml at a release
	Cases    []struct {
		Name   string         `json:"name"`
		Values map[string]any `json:"values"`
	} `json:"cases,omitempty"`
}

// TestProducts lints the manifests and charts of real products and compares what it finds with the
// golden file, which has a verdict on each.
func TestProducts(t *testing.T) {
	var products []upstream
	text, err := os.ReadFile("testdata/products.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &products); err != nil {
		t.Fatal(err)
	}
	dirs := download(t, products)
	results := make([][]linted, len(products))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n, u := range products {
		g.Go(func() error {
			results[n] = u.lint(t, dirs[n])
			return nil
		})
	}
	if err := g.Wait(); err != nil || t.Failed() {
		t.FailNow()
	}
	list := judge(t, readJudgements(t), products, results)
	golden.Compare(t, *update, judged, list.String())
	golden.Compare(t, *update, "../../docs/results/lint-products.md", page(products, results))
	for _, j := range list {
		if !strings.HasPrefix(j.Verdict, "right: ") {
			t.Errorf("%s, %s (%q) has no verdict: judge it, mend the rule if it is wrong, "+
				"or write \"right: \" and why into %s", j.Severity, j.Rule, j.What, judged)
		}
	}
}

// download returns the directories of the modules, which the go command fetches where the module
// cache lacks them. Their hashes must be those of the table.
func download(t *testing.T, products []upstream) []string {
	t.Helper()
	args := []string{"mod", "download", "-json"}
	for _, u := range products {
		args = append(args, u.Module)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = t.TempDir() // outside of every module
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	dirs := make([]string, 0, len(products))
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Version, Sum, Dir, Error string }
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		u := products[len(dirs)]
		switch {
		case m.Error != "":
			t.Fatalf("%s: %s", u.Module, m.Error)
		case u.Module != m.Path+"@"+m.Version:
			t.Fatalf("go mod download told %s@%s, not %s", m.Path, m.Version, u.Module)
		case u.Sum != m.Sum:
			t.Fatalf("%s has the hash %s, want %s", u.Module, m.Sum, u.Sum)
		}
		dirs = append(dirs, m.Dir)
	}
	if err != nil || len(dirs) != len(products) {
		t.Fatalf("go mod download: %v: %s", err, &stderr)
	}
	return dirs
}

// linted is a case of a product: files that were linted together.
type linted struct {
	name   string // a pattern, a directory, or a chart with the values' name
	report *lint.Report
}

// unreadable returns a finding for each place that cannot be read; nothing else is checked then.
func unreadable(err error) []lint.Finding {
	var all []lint.Finding
	for line := range strings.Lines(err.Error()) {
		f := lint.Finding{Rule: "unreadable", Severity: lint.Error, What: strings.TrimSpace(line)}
		if parts := strings.SplitN(f.What, ":", 4); len(parts) == 4 {
			f.File, f.What = parts[0], strings.TrimSpace(parts[3])
			f.Line, _ = strconv.Atoi(parts[1])
		}
		all = append(all, f)
	}
	return all
}

// lint judges every case of a product in a directory.
func (u upstream) lint(t *testing.T, dir string) []linted {
	var all []linted
	add := func(name string, files []lint.File, err error) {
		if err != nil {
			t.Errorf("%s: %s: %v", u.Module, name, err)
			return
		}
		r, err := lint.Check(t.Context(), files, lint.Options{})
		if err != nil {
			r = &lint.Report{Findings: unreadable(err)}
		}
		if r.Objects == 0 && err == nil {
			t.Errorf("%s: %s has no objects", u.Module, name)
		}
		all = append(all, linted{name, r})
	}
	for _, pattern := range u.YAML {
		files, err := plainFiles(dir, pattern)
		add(pattern, files, err)
	}
	for _, path := range u.Kustomize {
		files, err := kustomized(dir, path)
		add(path, files, err)
	}
	for _, u := range u.Charts {
		c, err := u.load(t, dir)
		if err != nil {
			add(u.Path, nil, err)
			continue
		}
		files, err := rendered(t.Context(), c, nil)
		add(u.Path, files, err)
		at := filepath.Join(dir, filepath.FromSlash(u.Path))
		if u.Metadata == "" {
			sameAsHelm(t.Context(), t, c, at, nil)
		}
		for _, k := range u.Cases {
			files, err := rendered(t.Context(), c, k.Values)
			add(u.Path+" ("+k.Name+")", files, err)
			if u.Metadata == "" {
				sameAsHelm(t.Context(), t, c, at, k.Values)
			}
		}
	}
	return all
}
