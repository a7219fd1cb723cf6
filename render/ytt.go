package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"carvel.dev/ytt/pkg/files"
	"carvel.dev/ytt/pkg/yamlmeta"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
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
	origin  map[string]string
	bytes   int64
	omitted []string // what lies among the templates and gives no documents, a line for each of them
}

// templates evaluates the templates of slipway.yaml.
func templates(ctx context.Context, p *product.Product, values map[string]any,
	o Options,
) (docs []document, omitted []string, err error) {
	if len(p.Release.Templates) == 0 {
		return nil, nil, nil
	}
	files, err := collect(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	docs, err = evaluate(ctx, p, files, values, o)
	return docs, files.omitted, err
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
		if err := t.add(found, root, shown, fi.IsDir()); err != nil {
			return t, err
		}
		paths = append(paths, shown)
	}
	if !slices.ContainsFunc(t.files, func(f templateFile) bool { return workload.IsManifest(f.Path) }) {
		return t, fmt.Errorf("no templates to render in %q: name a directory or file in release.templates of %s", paths,
			p.Path)
	}
	return t, nil
}

// add adds the files of a template, which is root, or a directory with them.
func (t *templateFiles) add(found []*files.File, root, shown string, below bool) error {
	var other, noObjects []string
	for _, f := range found {
		rel, origin, full := f.RelativePath(), shown, root
		if below {
			origin, full = path.Join(shown, rel), filepath.Join(root, filepath.FromSlash(rel))
		}
		if !workload.IsManifest(rel) && !slices.Contains(loaded, path.Ext(rel)) && !below {
			return fmt.Errorf("template %s: its name ends neither in .yaml, .yml nor .json: name a manifest", origin)
		}
		text, err := t.read(f, full, origin)
		switch {
		case err != nil:
			return err
		case !workload.IsManifest(rel) && path.Ext(rel) != ".star":
			other = append(other, rel)
		case isJSON(rel) && below && !isObject(text):
			noObjects = append(noObjects, rel)
			continue
		}
		as := asYAML(rel)
		if first, ok := t.origin[as]; ok {
			return fmt.Errorf("ytt sees templates %s and %s both as %s: rename one", first, origin, as)
		}
		t.origin[as] = origin
		t.files = append(t.files, templateFile{Path: as, Shown: origin, Described: f.Description(), Text: text})
	}
	if len(other) > 0 {
		t.omitted = append(t.omitted, fmt.Sprintf("%s: release.yaml has no documents of %s: "+
			"they are in files whose names end in .yaml, .yml or .json", shown, list(other)))
	}
	if len(noObjects) > 0 {
		t.omitted = append(t.omitted, fmt.Sprintf("%s: release.yaml has no documents of %s: "+
			"such a file in a directory has apiVersion and kind", shown, list(noObjects)))
	}
	return nil
}

// read returns the text of a file.
func (t *templateFiles) read(f *files.File, full, origin string) ([]byte, error) {
	if fi, err := os.Stat(full); err == nil {
		t.bytes += fi.Size()
	}
	if t.bytes > maxTemplates || len(t.files) == maxFiles {
		return nil, fmt.Errorf("template %s: the templates of a release have at most %d MiB and %d files: "+
			"name the directories that have templates only", origin, maxTemplates>>20, maxFiles)
	}
	b, err := f.Bytes()
	if err != nil {
		return nil, fmt.Errorf("reading template: %w", err)
	}
	if !workload.IsManifest(origin) {
		return b, nil
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // editors on Windows begin files with it
	var errs yamlfile.Errors
	errs.CheckText(origin, b, maxTemplates)
	return b, errs.Err()
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
