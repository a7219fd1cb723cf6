package workload

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// MaxFile bounds a manifest in bytes; the largest ones in use have a tenth of it.
const MaxFile = 16 << 20

var options = yamlfile.Options{
	MaxBytes: MaxFile, MaxValues: 1 << 20, MaxText: 64 << 20, MaxDepth: 200, MergeKeys: true,
	Stream: true,
}

// ReadFile reads a manifest from a file; "-" is standard input. The faults of an object that makes
// pods are errors: its pods are not known then.
func ReadFile(path string) ([]Object, error) {
	name, b, err := ReadInput(path)
	if err != nil {
		return nil, err
	}
	objects, err := Read(name, b)
	if err != nil {
		return objects, err
	}
	var errs yamlfile.Errors
	for _, o := range objects {
		if _, ok := podKinds[gvk{o.APIVersion, o.Kind}]; !ok {
			continue
		}
		for _, f := range o.Faults {
			errs.At(f.Pos, "%s: %s", o, f)
		}
	}
	return objects, errs.Err()
}

// ReadInput reads the text of a manifest; "-" is standard input. A text without a document is an
// error: the command that should have written it has failed.
func ReadInput(path string) (name string, text []byte, err error) {
	if name, text, err = yamlfile.ReadInput(path, MaxFile); err != nil {
		return name, nil, fmt.Errorf("reading manifest: %w", err)
	}
	if f := yamlfile.Read(name, text, options); len(f.Documents) == 0 && f.Err() == nil {
		err = fmt.Errorf("%s is empty: name a manifest, or correct the command that writes it", name)
	}
	return name, text, err
}

// Read reads a manifest of any number of YAML documents; file is its name for messages. The error
// joins a [yamlfile.Error] for each place that is not YAML or not a Kubernetes object; the objects
// are those that can be read, in their order.
func Read(file string, text []byte) ([]Object, error) {
	f := yamlfile.Read(file, text, options)
	if template := yamlfile.NotRendered(file, text); f.Malformed && template != nil {
		return nil, errors.Join(template)
	}
	r := &reader{File: f}
	for _, n := range f.Documents {
		r.object(n, "", "", "")
	}
	LinkValues(r.objects)
	return r.objects, r.Err()
}

// Syntax returns what keeps a text from being a stream of YAML documents of plain fields, whatever
// objects it has.
func Syntax(file string, text []byte) error { return yamlfile.Read(file, text, options).Err() }

// Documents returns the documents of a text without aliases and merge keys.
func Documents(file string, text []byte) []*yaml.Node {
	return yamlfile.Read(file, text, options).Documents
}

// reader gathers the objects of a file.
type reader struct {
	*yamlfile.File
	objects []Object
}

// object reads the object at n, or the items of a list. An item of a typed list that lacks
// apiVersion and kind takes them from the list.
func (r *reader) object(n *yaml.Node, path, apiVersion, kind string) {
	at := ""
	if path != "" {
		at = path + ": "
	}
	if n.Kind != yaml.MappingNode {
		r.At(r.Pos(n), "%sthis is not a Kubernetes object: start with apiVersion, kind and metadata", at)
		return
	}
	o := Object{
		File: r.Name, Path: path, Node: n, APIVersion: yamlfile.Text(n, "apiVersion"),
		Kind: yamlfile.Text(n, "kind"),
	}
	if o.APIVersion == "" && o.Kind == "" {
		o.APIVersion, o.Kind = apiVersion, kind
	}
	if items := yamlfile.Value(n, "items"); items != nil && items.Kind == yaml.SequenceNode &&
		IsList(o.APIVersion, o.Kind) {
		apiVersion, kind = o.APIVersion, strings.TrimSuffix(o.Kind, "List")
		if kind == "" {
			apiVersion = ""
		}
		for i, item := range items.Content {
			r.object(item, yamlfile.Path(path, "items", i), apiVersion, kind)
		}
		return
	}
	o.Namespace = yamlfile.Text(n, "metadata", "namespace")
	if o.Name = yamlfile.Text(n, "metadata", "name"); o.Name == "" {
		o.Name = yamlfile.Text(n, "metadata", "generateName")
	}
	for _, f := range []struct{ name, value string }{
		{"apiVersion", o.APIVersion},
		{"kind", o.Kind},
		{"metadata.name", o.Name},
	} {
		if f.value == "" {
			r.At(o.Pos(), "%sthis is not a Kubernetes object: %s is missing", at, f.name)
			return
		}
	}
	o.decode()
	r.objects = append(r.objects, o)
}
