package chart

import (
	"context"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/renderer"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Charts are rendered by package renderer, which bounds it.
var (
	makeObjects   = renderer.Register("objects of a chart", objectsHere)
	makeTemplates = renderer.Register("templates of a chart", templatesHere)
)

// question is a chart and how it is rendered.
type question struct {
	Shown       string
	Files       []questionFile
	Release     string
	Namespace   string
	Values      renderer.Value
	KubeVersion string
	APIVersions []string

	Later, Fixed, Unchecked, Uses bool

	Marked map[int]string // the texts of templates with marks
}

type questionFile struct {
	Path, Shown string
	Data        []byte
}

// madeObject is an Object.
type madeObject struct {
	Object Object
	Lines  []string
}

// madeTemplate is a renderedTemplate by the index of its file, with its uses of images.
type madeTemplate struct {
	Name string
	File int
	Text string
	Uses []madeUse
}

// madeUse is a use.
type madeUse struct {
	Reference      string
	Line, Document int
	Path           string
	Field          bool
}

func (c *Chart) question(o Options, r rendering) (question, error) {
	values, err := renderer.Pack(o.Values)
	q := question{
		Shown: c.shown, Release: o.Release, Namespace: o.Namespace, Values: values, KubeVersion: o.KubeVersion, APIVersions: o.APIVersions,
		Later: r.later, Fixed: r.fixed, Unchecked: r.unchecked, Uses: r.uses,
	}
	for i, f := range c.files {
		q.Files = append(q.Files, questionFile{f.path, f.shown, f.data})
		if r.mark != nil && isTemplate(f.path) {
			if q.Marked == nil {
				q.Marked = map[int]string{}
			}
			q.Marked[i] = r.mark(i, f)
		}
	}
	return q, err
}

// chart returns the chart of a question, and how it is rendered.
func (q question) chart() (*Chart, Options, rendering, error) {
	c := &Chart{shown: q.Shown, known: &known{}, here: true}
	for _, f := range q.Files {
		c.files = append(c.files, file{f.Path, f.Shown, f.Data})
	}
	values, _ := q.Values.Unpack().(map[string]any)
	o := Options{Release: q.Release, Namespace: q.Namespace, Values: values, KubeVersion: q.KubeVersion, APIVersions: q.APIVersions}
	r := rendering{later: q.Later, fixed: q.Fixed, unchecked: q.Unchecked, uses: q.Uses}
	if q.Marked != nil {
		r.mark = func(i int, f file) string {
			if text, ok := q.Marked[i]; ok {
				return text
			}
			return string(f.data)
		}
	}
	loaded, err := c.helm()
	if err == nil {
		c.metadata = *loaded.Metadata
	}
	return c, o, r, err
}

// objects renders the chart in a process with bounds.
func (c *Chart) objects(ctx context.Context, o Options) ([]Object, error) {
	q, err := c.question(o, rendering{})
	if err != nil {
		return nil, err
	}
	made, err := makeObjects.Run(ctx, c.subject(), q)
	objects := make([]Object, 0, len(made))
	for _, m := range made {
		m.Object.lines = m.Lines
		objects = append(objects, m.Object)
	}
	return objects, err
}

// isTemplate reports whether a file may be a template of the chart or of a subchart.
func isTemplate(name string) bool { return strings.Contains("/"+name, "/templates/") }

// subject returns what messages call the chart while none of its files is rendered.
func (c *Chart) subject() string { return "chart " + c.shown }

func objectsHere(q question) ([]madeObject, error) {
	c, o, _, err := q.chart()
	if err != nil {
		return nil, err
	}
	objects, err := c.objectsHere(o)
	made := make([]madeObject, 0, len(objects))
	size := &yamlfile.Size{}
	for _, o := range objects {
		if err := size.Add(path.Join(c.shown, o.Template), o.Text); err != nil {
			return nil, err
		}
		made = append(made, madeObject{o, o.lines})
	}
	return made, err
}

// render renders the chart in a process with bounds.
func (c *Chart) render(ctx context.Context, o Options, r rendering) (*rendered, error) {
	if c.here {
		return c.renderHere(o, r)
	}
	q, err := c.question(o, r)
	if err != nil {
		return nil, err
	}
	made, err := makeTemplates.Run(ctx, c.subject(), q)
	if err != nil {
		return nil, err
	}
	out := &rendered{}
	for _, m := range made {
		t := renderedTemplate{name: m.Name, file: c.files[m.File], text: m.Text}
		for _, u := range m.Uses {
			t.uses = append(t.uses, use{reference: u.Reference, template: m.Name, line: u.Line, document: u.Document, path: u.Path, field: u.Field})
		}
		out.templates = append(out.templates, t)
	}
	return out, nil
}

func templatesHere(q question) ([]madeTemplate, error) {
	c, o, how, err := q.chart()
	if err != nil {
		return nil, err
	}
	r, err := c.renderHere(o, how)
	if err != nil {
		return nil, err
	}
	var made []madeTemplate
	size := &yamlfile.Size{}
	for _, t := range r.templates {
		if err := size.Add(t.file.shown, []byte(t.text)); err != nil {
			return nil, err
		}
		m := madeTemplate{Name: t.name, File: t.index, Text: t.text}
		if !q.Uses {
			t.text = ""
		}
		for _, u := range uses(t) {
			m.Uses = append(m.Uses, madeUse{u.reference, u.line, u.document, u.path, u.field})
		}
		made = append(made, m)
	}
	return made, nil
}
