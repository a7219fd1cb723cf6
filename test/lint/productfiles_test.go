package lint_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/lint"
)

// plainFiles returns the files of a directory that match a pattern.
func plainFiles(dir, pattern string) ([]lint.File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("no file matches")
	}
	files := make([]lint.File, 0, len(paths))
	for _, p := range paths {
		if filepath.Base(p) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return nil, err
		}
		files = append(files, lint.File{Name: filepath.ToSlash(name), Text: text})
	}
	return files, nil
}

// kustomizing guards kustomize's schema of Kubernetes, a global variable that each build sets.
var kustomizing sync.Mutex

// kustomized returns what kustomize makes of a directory.
func kustomized(dir, name string) ([]lint.File, error) {
	kustomizing.Lock()
	defer kustomizing.Unlock()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	text, err := resources.AsYaml()
	if err != nil {
		return nil, err
	}
	return []lint.File{{Name: name, Text: text}}, nil
}

// load reads a chart, of whose metadata the source may have another name than its releases.
func (u upstreamChart) load(t *testing.T, dir string) (*chart.Chart, error) {
	t.Helper()
	l := chart.Location{Tree: dir, Path: u.Path}
	if u.Metadata == "" {
		return chart.Load(l)
	}
	copied := chart.Location{Tree: t.TempDir(), Path: path.Base(u.Path), Shown: u.Path}
	to := filepath.Join(copied.Tree, copied.Path)
	if err := os.CopyFS(to, os.DirFS(filepath.Join(dir, filepath.FromSlash(u.Path)))); err != nil {
		return nil, err
	}
	if err := os.Rename(filepath.Join(to, u.Metadata), filepath.Join(to, "Chart.yaml")); err != nil {
		return nil, err
	}
	return chart.Load(copied)
}

// rendered returns what a chart makes with its own values and others.
func rendered(ctx context.Context, c *chart.Chart, values map[string]any) ([]lint.File, error) {
	objects, err := c.Render(ctx, chart.Options{Values: values})
	if err != nil {
		return nil, err
	}
	var text []byte
	var origins []string
	for _, o := range objects {
		origins = append(origins, "") // of the separator
		doc := append(bytes.TrimRight(o.Text, "\n"), '\n')
		for n := range bytes.Count(doc, []byte("\n")) {
			origins = append(origins, o.Origin(n+1))
		}
		text = append(append(text, "---\n"...), doc...)
	}
	origin := func(line int) string {
		if line > len(origins) {
			return ""
		}
		return origins[line-1]
	}
	return []lint.File{{Name: c.String(), Text: text, Origin: origin}}, nil
}
