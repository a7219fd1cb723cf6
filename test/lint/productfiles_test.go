package lint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/kustomize"
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

// kustomized returns what kustomize makes of a directory of a tree.
func kustomized(tree, dir string) ([]lint.File, error) {
	objects, err := kustomize.Build(context.Background(), tree, dir, kustomize.Options{})
	if err != nil {
		return nil, err
	}
	f := joined{name: dir}
	for _, o := range objects {
		f.add(o.Text, func(line int) string {
			if p, ok := o.Places[line]; ok {
				return fmt.Sprintf("%s:%d", p.File, p.Line)
			}
			return ""
		})
	}
	return f.file(), nil
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
	f := joined{name: c.String()}
	for _, o := range objects {
		f.add(o.Text, o.Origin)
	}
	return f.file(), nil
}

// joined is a manifest of documents whose lines are from other files.
type joined struct {
	name    string
	text    []byte
	origins []string // of its lines
}

// add adds a document; origin returns the place of one of its lines, the first being 1.
func (j *joined) add(doc []byte, origin func(line int) string) {
	doc = append(bytes.TrimRight(doc, "\n"), '\n')
	j.origins = append(j.origins, "") // of the separator
	for n := range bytes.Count(doc, []byte("\n")) {
		j.origins = append(j.origins, origin(n+1))
	}
	j.text = append(append(j.text, "---\n"...), doc...)
}

func (j *joined) file() []lint.File {
	return []lint.File{{Name: j.name, Text: j.text, Origin: func(line int) string {
		if line > len(j.origins) {
			return ""
		}
		return j.origins[line-1]
	}}}
}
