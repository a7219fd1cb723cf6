package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"carvel.dev/ytt/pkg/files"
	"carvel.dev/ytt/pkg/yamlmeta"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/product"
)

// valuesFile is the name of the data values in ytt's messages.
const valuesFile = "release.values"

// Bounds of templates, far beyond real ones.
const (
	maxTemplates = 64 << 20 // bytes of all files
	maxFiles     = 10_000
)

// templateFiles are the files that ytt reads.
type templateFiles struct {
	files []templateFile
	// origin maps the path that ytt knows, relative to the template's directory, to one that a
	// user knows.
	origin map[string]string
	bytes  int64
}

// templates evaluates the templates of slipway.yaml.
func templates(ctx context.Context, p *product.Product, values map[string]any, o Options) ([]document, error) {
	if len(p.Release.Templates) == 0 {
		return nil, nil
	}
	files, err := collect(ctx, p)
	if err != nil {
		return nil, err
	}
	return evaluate(ctx, p, files, values, o)
}

// collect returns the files of all templates. ytt sees them as "ytt -f A -f B" does, each directory
// as a root of its own.
func collect(ctx context.Context, p *product.Product) (templateFiles, error) {
	t := templateFiles{origin: map[string]string{}}
	var paths []string
	for _, tpl := range p.Release.Templates {
		in, err := find(ctx, p, tpl)
		if err != nil {
			return t, err
		}
		root := filepath.Join(in.tree, filepath.FromSlash(in.path))
		shown := in.name(in.path)
		fi, err := os.Stat(root)
		if errors.Is(err, os.ErrNotExist) {
			return t, fmt.Errorf("template %s does not exist: correct release.templates in %s", shown, p.Path)
		}
		if err != nil {
			return t, fmt.Errorf("reading template %s: %w", shown, err)
		}
		found, err := files.NewSortedFilesFromPaths([]string{root}, files.SymlinkAllowOpts{})
		if err != nil {
			return t, fmt.Errorf("reading template %s: %w", shown, err)
		}
		for _, f := range found {
			rel, origin := f.RelativePath(), shown
			if fi.IsDir() {
				origin = path.Join(shown, rel)
			}
			if first, ok := t.origin[rel]; ok {
				return t, fmt.Errorf("ytt sees templates %s and %s both as %s: rename one", first, origin, rel)
			}
			t.origin[rel] = origin
			if err := t.read(f, root, fi.IsDir()); err != nil {
				return t, err
			}
		}
		paths = append(paths, shown)
	}
	if len(t.files) == 0 {
		return t, fmt.Errorf("no templates to render in %q: name a directory or file in release.templates of %s", paths,
			p.Path)
	}
	return t, nil
}

// read adds a file of a template, which is root or below it.
func (t *templateFiles) read(f *files.File, root string, below bool) error {
	rel := f.RelativePath()
	if below {
		root = filepath.Join(root, filepath.FromSlash(rel))
	}
	if fi, err := os.Stat(root); err == nil {
		t.bytes += fi.Size()
	}
	if t.bytes > maxTemplates || len(t.files) == maxFiles {
		return fmt.Errorf("template %s: the templates of a release have at most %d MiB and %d files: "+
			"name the directories that have templates only", t.origin[rel], maxTemplates>>20, maxFiles)
	}
	b, err := f.Bytes()
	if err != nil {
		return fmt.Errorf("reading template: %w", err)
	}
	t.files = append(t.files, templateFile{Path: rel, Shown: t.origin[rel], Described: f.Description(), Text: b})
	return nil
}

// evaluate runs ytt in a process with bounds and returns the documents in the order of the files.
func evaluate(ctx context.Context, p *product.Product, t templateFiles, values map[string]any,
	o Options,
) ([]document, error) {
	q := evaluation{Product: p.Path, Files: t.files}
	if len(values) > 0 {
		var err error
		if q.Values, err = yaml.Marshal(values); err != nil {
			return nil, fmt.Errorf("release.values of %s: %w", p.Path, err)
		}
	}
	made, err := evaluateTemplates.Run(ctx, "the templates of "+p.Path, q)
	for _, line := range made.Warnings {
		o.Progress.Printf("%s", line)
	}
	if err != nil {
		return nil, err
	}
	set, _ := made.unpack(made.Documents).(*yamlmeta.DocumentSet)
	return documents(set, t.origin)
}
