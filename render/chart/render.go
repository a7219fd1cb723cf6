package chart

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// KubeVersion is the version of Kubernetes that charts are rendered for, as by Helm.
const KubeVersion = "v1.37.0"

// Options are settings of [Chart.Render], as those of "helm template".
type Options struct {
	Release   string         // the chart's name if empty
	Namespace string         // default if empty
	Values    map[string]any // those that replace the chart's
}

// Render returns the objects of a chart: those of its CRDs, then those of its templates, by path.
// NOTES.txt is not rendered. Two renderings must not differ, as they do with random secrets and
// the time. A chart that was rendered with the same options is not rendered again; the caller
// changes no object.
func (c *Chart) Render(ctx context.Context, o Options) ([]Object, error) {
	c.known.mu.Lock()
	defer c.known.mu.Unlock()
	for _, k := range c.known.all {
		if reflect.DeepEqual(k.options, o) {
			return slices.Clone(k.objects), nil
		}
	}
	copied := o
	if o.Values != nil {
		copied.Values = copyValues(o.Values)
	}
	objects, err := c.objects(ctx, o)
	if err != nil {
		return nil, err
	}
	c.known.all = append(c.known.all, knownObjects{copied, objects})
	return slices.Clone(objects), nil
}

// known remembers what a chart was rendered to.
type known struct {
	mu  sync.Mutex
	all []knownObjects
}

type knownObjects struct {
	options Options
	objects []Object
}

func (c *Chart) objectsHere(o Options) ([]Object, error) {
	ctx := context.Background() // of a process that ends with its question
	plain, err := c.render(ctx, o, rendering{})
	if err != nil {
		return nil, err
	}
	lines, err := c.lines(ctx, o, plain)
	if err != nil {
		return nil, err
	}
	objects := c.crdObjects(plain)
	for _, t := range plain.templates {
		objects = append(objects, documents(t.file.Path, t.Text, lines[t.Name])...)
	}
	return objects, nil
}

// rendering is how a rendering differs from that of Helm.
type rendering struct {
	Later     bool // the time is another one
	Fixed     bool // the time and random values are always the same
	Unchecked bool // the values are not checked by schemas
	Uses      bool // the references of images are listed
	// mark changes the text of a template; nil leaves it
	mark func(index int, f File) string
}

// rendered is what Helm's engine made.
type rendered struct {
	templates []renderedTemplate // sorted by path
	crds      []int              // indexes of files
}

// renderedTemplate is the text that a template made, and what that names.
type renderedTemplate struct {
	Template

	file File
	Uses []use
}

// renderHere renders in this process.
func (c *Chart) renderHere(o Options, r rendering) (*rendered, error) {
	q := Request{
		Shown: c.shown, Files: c.files, Options: o, Later: r.Later, Fixed: r.Fixed, Unchecked: r.Unchecked,
	}
	q.Options.Values = copyValues(o.Values)
	if r.mark != nil {
		q.Text = func(index int) string { return r.mark(index, c.files[index]) }
	}
	made, err := engine.Render(q)
	if err != nil {
		return nil, err
	}
	out := &rendered{crds: made.CRDs}
	for _, t := range made.Templates {
		out.templates = append(out.templates, renderedTemplate{Template: t, file: c.files[t.Index]})
	}
	return out, nil
}

// crdObjects returns the objects of the directories crds.
func (c *Chart) crdObjects(r *rendered) []Object {
	var all []Object
	for _, i := range r.crds {
		f := c.files[i]
		lines := make([]string, 1+strings.Count(string(f.Data), "\n"))
		for i := range lines {
			lines[i] = fmt.Sprintf("%s:%d", f.Shown, i+1)
		}
		for _, o := range documents(f.Path, string(f.Data), lines) {
			o.CRD = true
			all = append(all, o)
		}
	}
	return all
}

// copyValues copies values, since Helm changes those that it gets.
func copyValues(values map[string]any) map[string]any {
	out, _ := mapScalars(values, func(v any) any { return v }).(map[string]any)
	return out
}

// mapScalars copies a value with other scalars.
func mapScalars(v any, other func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = mapScalars(v[k], other)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mapScalars(v[i], other)
		}
		return out
	}
	return other(v)
}
