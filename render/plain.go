package render

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"carvel.dev/ytt/pkg/files"
	"carvel.dev/ytt/pkg/yamlmeta"
	"carvel.dev/ytt/pkg/yamltemplate"
	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
)

// plain keeps ytt from evaluating a file without its annotations, so that comments in it are
// nothing but comments. Overlays apply to it all the same. Helm templates are refused, and so are
// files on which ytt's parser panics, and plain YAML files with a key twice, of which ytt would
// use the last value. ytt itself reports all other mistakes.
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
