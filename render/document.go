package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"carvel.dev/ytt/pkg/filepos"
	"carvel.dev/ytt/pkg/yamlmeta"

	"github.com/slipway-dev/slipway/internal/workload"
)

// Document is one Kubernetes object.
type Document struct {
	APIVersion, Kind, Namespace, Name string

	yaml *yamlmeta.Document
	// from a position's file to the name that a user knows; a file that is not in it stands for
	// itself
	origin map[string]string
}

// Read parses a rendered manifest, such as release.yaml, into its objects; name is the file's
// name for messages. Empty documents are left out, a v1 List becomes its items. A document that
// is no Kubernetes object is an error.
func Read(name string, manifest []byte) (docs []Document, err error) {
	defer workload.Guard(name, &err)
	set, err := parse(name, manifest, yamlmeta.DocSetOpts{AssociatedName: name, WithoutComments: true})
	if placed(err) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return documents(set, nil)
}

func documents(set *yamlmeta.DocumentSet, origin map[string]string) ([]Document, error) {
	var docs []Document
	var errs []error
	for _, y := range set.Items {
		if y.IsEmpty() {
			continue
		}
		found, err := objects(y, origin)
		if err != nil {
			errs = append(errs, err)
		}
		docs = append(docs, found...)
	}
	return docs, errors.Join(errs...)
}

// objects returns the object in y, or the items where it is a List.
func objects(y *yamlmeta.Document, origin map[string]string) ([]Document, error) {
	y.Value = yamlmeta.NewASTFromInterfaceWithPosition(y.Value, y.Position)
	d := Document{yaml: y, origin: origin}
	if err := d.duplicateKeys(); err != nil {
		return nil, err
	}
	d.APIVersion, d.Kind = d.text("apiVersion"), d.text("kind")
	d.Namespace, d.Name = d.text("metadata", "namespace"), d.text("metadata", "name")
	if _, ok := child(y.Value, "items").(*yamlmeta.Array); ok && isList(d) {
		return d.items()
	}
	for _, f := range []struct{ name, value string }{{"apiVersion", d.APIVersion}, {"kind", d.Kind}, {"metadata.name", d.Name}} {
		if f.value == "" {
			return nil, fmt.Errorf("%s: the document has no %s: it is no Kubernetes object", d.position(y.Position), f.name)
		}
	}
	return []Document{d}, nil
}

func (d Document) items() ([]Document, error) {
	items, _ := child(d.yaml.Value, "items").(*yamlmeta.Array)
	if items == nil {
		return nil, nil
	}
	set := &yamlmeta.DocumentSet{}
	for _, i := range items.Items {
		set.Items = append(set.Items, &yamlmeta.Document{Value: i.Value, Position: i.Position})
	}
	return documents(set, d.origin)
}

// String returns kind and name as kubectl users write them: Deployment kpack/kpack-controller.
func (d Document) String() string {
	if d.Namespace == "" {
		return d.Kind + " " + d.Name
	}
	return d.Kind + " " + d.Namespace + "/" + d.Name
}

// group returns the API group, empty for the core group.
func (d Document) group() string {
	if g, _, ok := strings.Cut(d.APIVersion, "/"); ok {
		return g
	}
	return ""
}

// bytes returns the document as YAML, its keys in the order of the template.
func (d Document) bytes() ([]byte, error) {
	b, err := d.yaml.AsYAMLBytes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d, err)
	}
	return b, nil
}

// text returns the string at a path of keys, or "".
func (d Document) text(keys ...string) string {
	v, _ := d.node(keys)
	s, _ := v.(string)
	return s
}

// node returns the value at a path of keys, nil where there is none, and the place of the last
// key that is there.
func (d Document) node(keys []string) (any, *filepos.Position) {
	v, pos := d.yaml.Value, d.yaml.Position
	for _, k := range keys {
		m, _ := v.(*yamlmeta.Map)
		v = nil
		if m == nil {
			return nil, pos
		}
		for _, i := range m.Items {
			if i.Key == k {
				v, pos = i.Value, i.Position
			}
		}
	}
	return v, pos
}

// child returns the value of a key in a map, or nil.
func child(v any, key string) any {
	if m, ok := v.(*yamlmeta.Map); ok {
		for _, i := range m.Items {
			if i.Key == key {
				return i.Value
			}
		}
	}
	return nil
}

// position writes where a node comes from: config/controller.yaml:12.
func (d Document) position(p *filepos.Position) string {
	file := p.GetFile()
	if o, ok := d.origin[file]; ok {
		file = o
	}
	if !p.IsKnown() {
		return file
	}
	return fmt.Sprintf("%s:%d", file, p.LineNum())
}

// leaf is a string in a document.
type leaf struct {
	path  []string // keys, and for items of arrays [name] or [index]
	value string
	pos   *filepos.Position
}

// String returns the field path: spec.template.spec.containers[controller].image.
func (l leaf) String() string { return fieldPath(l.path) }

func fieldPath(path []string) string {
	var b strings.Builder
	for i, p := range path {
		if i > 0 && !strings.HasPrefix(p, "[") {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}

// key returns the last key of the path.
func (l leaf) key() string { return l.path[len(l.path)-1] }

// leaves calls visit for every string value, in order.
func (d Document) leaves(visit func(leaf)) { leaves(d.yaml.Value, d.yaml.Position, nil, visit) }

func leaves(v any, pos *filepos.Position, path []string, visit func(leaf)) {
	switch v := v.(type) {
	case *yamlmeta.Map:
		for _, i := range v.Items {
			leaves(i.Value, i.Position, append(path, fmt.Sprint(i.Key)), visit)
		}
	case *yamlmeta.Array:
		for n, i := range v.Items {
			leaves(i.Value, i.Position, append(path, item(n, i.Value)), visit)
		}
	case string:
		visit(leaf{slices.Clone(path), v, pos})
	}
}

// item names an item of an array: [controller] where it has a name, or [3].
func item(n int, v any) string {
	if name, ok := child(v, "name").(string); ok && name != "" {
		return "[" + name + "]"
	}
	return fmt.Sprintf("[%d]", n)
}

// duplicateKeys refuses maps that have a key twice, of which readers take one or the other.
func (d Document) duplicateKeys() error { return d.unique(d.yaml.Value, nil) }

func (d Document) unique(v any, path []string) error {
	switch v := v.(type) {
	case *yamlmeta.Map:
		seen := map[string]bool{}
		for _, i := range v.Items {
			key := fmt.Sprint(i.Key)
			if seen[key] {
				return fmt.Errorf("%s: %s is there twice", d.position(i.Position), fieldPath(append(path, key)))
			}
			seen[key] = true
			if err := d.unique(i.Value, append(path, key)); err != nil {
				return err
			}
		}
	case *yamlmeta.Array:
		for n, i := range v.Items {
			if err := d.unique(i.Value, append(path, item(n, i.Value))); err != nil {
				return err
			}
		}
	}
	return nil
}
