package render

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"carvel.dev/ytt/pkg/filepos"
	"carvel.dev/ytt/pkg/yamlmeta"

	"github.com/slipway-dev/slipway/render/workload"
)

// document is one Kubernetes object.
type document struct {
	APIVersion, Kind, Namespace, Name string

	yaml *yamlmeta.Document
	// from a file of a position to the name that a user knows, if that differs
	origin map[string]string
}

func documents(set *yamlmeta.DocumentSet, origin map[string]string) ([]document, error) {
	var docs []document
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

// kustomization reports whether a document is what kustomize builds from. Its apiVersion and kind
// may be missing; then its file has one of the names that kustomize looks for.
func (d document) kustomization() bool {
	if strings.HasPrefix(d.APIVersion, "kustomize.config.k8s.io/") {
		return true
	}
	file := path.Base(d.yaml.Position.GetFile())
	return d.Kind == "" && (file == "kustomization.yaml" || file == "kustomization.yml")
}

// objects returns the object in y, or the items of a List.
func objects(y *yamlmeta.Document, origin map[string]string) ([]document, error) {
	y.Value = yamlmeta.NewASTFromInterfaceWithPosition(y.Value, y.Position)
	d := document{yaml: y, origin: origin}
	if err := d.duplicateKeys(); err != nil {
		return nil, err
	}
	d.APIVersion, d.Kind = d.text("apiVersion"), d.text("kind")
	d.Namespace, d.Name = d.text("metadata", "namespace"), d.text("metadata", "name")
	if _, ok := child(y.Value, "items").(*yamlmeta.Array); ok && workload.IsList(d.APIVersion, d.Kind) {
		return d.items()
	}
	for _, f := range []struct{ name, value string }{
		{"apiVersion", d.APIVersion},
		{"kind", d.Kind},
		{"metadata.name", d.Name},
	} {
		switch {
		case f.value != "":
		case d.kustomization():
			return nil, fmt.Errorf("%s: this is a kustomization, not a Kubernetes object: "+
				"name its directory under release.kustomize", d.position(y.Position))
		default:
			return nil, fmt.Errorf("%s: the document has no %s: it is not a Kubernetes object", d.position(y.Position),
				f.name)
		}
	}
	return []document{d}, nil
}

func (d document) items() ([]document, error) {
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
func (d document) String() string {
	return workload.Object{Kind: d.Kind, Namespace: d.Namespace, Name: d.Name}.String()
}

// bytes returns the document as YAML, its keys in the order of the template.
func (d document) bytes() ([]byte, error) {
	b, err := d.yaml.AsYAMLBytes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d, err)
	}
	return b, nil
}

// text returns the string at a path of keys, or "".
func (d document) text(keys ...string) string {
	s, _ := d.node(keys).(string)
	return s
}

// node returns the value at a path of keys, or nil.
func (d document) node(keys []string) any {
	v := d.yaml.Value
	for _, k := range keys {
		v = child(v, k)
	}
	return v
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

// position writes the place that a node comes from: config/controller.yaml:12.
func (d document) position(p *filepos.Position) string {
	file := p.GetFile()
	if o, ok := d.origin[file]; ok {
		file = o
	}
	if !p.IsKnown() {
		return file
	}
	return fmt.Sprintf("%s:%d", file, p.LineNum())
}

// fieldPath writes a path: spec.template.spec.containers[controller].image.
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

// item writes the index of an item: [controller] if it has a name, or [3].
func item(n int, v any) string {
	if name, ok := child(v, "name").(string); ok && name != "" {
		return "[" + name + "]"
	}
	return fmt.Sprintf("[%d]", n)
}

// duplicateKeys refuses maps with a key twice: readers use the first or the last.
func (d document) duplicateKeys() error { return d.unique(d.yaml.Value, nil) }

func (d document) unique(v any, path []string) error {
	switch v := v.(type) {
	case *yamlmeta.Map:
		seen := map[string]bool{}
		for _, i := range v.Items {
			key := fmt.Sprint(i.Key)
			if seen[key] {
				return fmt.Errorf("%s: duplicate key %s", d.position(i.Position), fieldPath(append(path, key)))
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
