package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"carvel.dev/ytt/pkg/cmd/template"
	"carvel.dev/ytt/pkg/cmd/ui"
	"carvel.dev/ytt/pkg/files"
	"carvel.dev/ytt/pkg/yamlmeta"
	"carvel.dev/ytt/pkg/yamltemplate"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
)

// valuesFile is the name of the data values in ytt's messages.
const valuesFile = "release.values"

// templateFiles are the files that ytt reads.
type templateFiles struct {
	files []*files.File
	// origin maps the path that ytt knows, relative to the template's directory, to one that a
	// user knows.
	origin map[string]string
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
	return evaluate(p, files, values, o)
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
			if f, err = plain(f, t.origin); err != nil {
				return t, err
			}
			t.files = append(t.files, f)
		}
		paths = append(paths, shown)
	}
	if len(t.files) == 0 {
		return t, fmt.Errorf("no templates to render in %q: name a directory or file in release.templates of %s", paths, p.Path)
	}
	t.files = files.NewSortedFiles(t.files)
	return t, nil
}

// plain keeps ytt from evaluating a file without its annotations, so that comments in it are
// nothing but comments. Overlays apply to it all the same. It refuses Helm templates, files on
// which ytt's parser panics, and plain YAML files with a key twice, of which ytt would use the last
// value. ytt itself reports all other mistakes.
func plain(f *files.File, origin map[string]string) (*files.File, error) {
	if f.Type() != files.TypeYAML || !f.IsTemplate() {
		return f, nil
	}
	shown := origin[f.RelativePath()]
	b, err := f.Bytes()
	if err != nil {
		return nil, fmt.Errorf("reading template: %w", err)
	}
	syntax := workload.Syntax(shown, b)
	if helm := yamlfile.NotRendered(shown, b); helm != nil && syntax != nil {
		return nil, helm
	}
	set, err := parse(shown, b, yamlmeta.DocSetOpts{AssociatedName: f.RelativePath()})
	if hasPlace(err) {
		return nil, err
	}
	if err != nil || yamltemplate.HasTemplating(set) {
		return f, nil //nolint:nilerr // ytt reads the file again and reports what it cannot read
	}
	if syntax == nil && bytes.Contains(b, []byte("<<:")) {
		if f, err = merged(f, b); err != nil {
			return nil, err
		}
		set = &yamlmeta.DocumentSet{}
	}
	f.MarkTemplate(false)
	var errs []error
	for _, y := range set.Items {
		errs = append(errs, document{yaml: y, origin: origin}.duplicateKeys())
	}
	return f, errors.Join(errs...)
}

// merged returns a file without merge keys. ytt keeps a key that one replaces next to its
// replacement.
func merged(f *files.File, text []byte) (*files.File, error) {
	var b bytes.Buffer
	for _, n := range workload.Documents(f.RelativePath(), text) {
		b.WriteString("---\n")
		y, err := yamlv3.Marshal(n)
		if err != nil {
			return nil, fmt.Errorf("reading template: %w", err)
		}
		b.Write(y)
	}
	return files.NewFileFromSource(files.NewBytesSource(f.RelativePath(), b.Bytes()))
}

// parse calls ytt's parser. If that panics, the error has a position in the file.
func parse(file string, text []byte, o yamlmeta.DocSetOpts) (set *yamlmeta.DocumentSet, err error) {
	defer func() {
		if hasPlace(err) {
			err = cmp.Or(workload.Syntax(file, text), err) // which knows the line
		}
	}()
	defer yamlfile.Guard(file, &err)
	return yamlmeta.NewDocumentSetFromBytes(text, o)
}

// hasPlace reports whether an error has a position in a file.
func hasPlace(err error) bool {
	at := (*yamlfile.Error)(nil)
	return errors.As(err, &at)
}

// evaluate runs ytt and returns the documents in the order of the files.
func evaluate(p *product.Product, t templateFiles, values map[string]any, o Options) (_ []document, err error) {
	data, err := yaml.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("release.values of %s: %w", p.Path, err)
	}
	opts := template.NewOptions()
	if len(values) > 0 {
		opts.DataValuesFlags.FromFiles = []string{valuesFile}
		opts.DataValuesFlags.ReadFilesFunc = func(string) ([]*files.File, error) {
			return []*files.File{files.MustNewFileFromSource(files.NewBytesSource(valuesFile, data))}, nil
		}
	}
	// ytt panics on some templates that it should refuse.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rendering the templates of %s: ytt cannot read them: %v", p.Path, r)
		}
	}()
	warnings := printer{o.Progress}
	out := opts.RunWithFiles(template.Input{Files: t.files}, ui.NewCustomWriterTTY(false, warnings, warnings))
	if out.Err != nil {
		return nil, fmt.Errorf("rendering the templates of %s: %w", p.Path, out.Err)
	}
	return documents(out.DocSet, t.origin)
}

// printer writes lines to a progress printer.
type printer struct{ p *progress.Printer }

func (w printer) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		w.p.Printf("%s", strings.TrimRight(line, "\n"))
	}
	return len(b), nil
}
