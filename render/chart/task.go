package chart

import (
	"context"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/renderer"
)

// Charts are rendered by package renderer, which bounds it.
var (
	makeObjects   = renderer.Register("objects of a chart", objectsHere)
	makeTemplates = renderer.Register("templates of a chart", templatesHere)
)

// question is a chart and how it is rendered.
type question struct {
	Shown   string
	Files   []File
	Options Options        // without Values
	Values  renderer.Value // those of Options
	How     rendering
	Marked  []markedText // by index
}

// markedText is the text of a template with marks.
type markedText struct {
	Index int // in Files
	Text  string
}

func (c *Chart) question(o Options, r rendering) (q question, err error) {
	q = question{Shown: c.shown, Files: c.files, Options: o, How: r}
	q.Options.Values = nil
	for i, f := range c.files {
		if r.mark != nil && isTemplate(f.Path) {
			q.Marked = append(q.Marked, markedText{i, r.mark(i, f)})
		}
	}
	q.Values, err = renderer.Pack(o.Values)
	return q, err
}

// chart returns the chart of a question, and how it is rendered.
func (q question) chart() (*Chart, Options, rendering) {
	c := &Chart{shown: q.Shown, files: q.Files, known: &known{}, here: true}
	q.Options.Values, _ = q.Values.Unpack().(map[string]any)
	if len(q.Marked) > 0 {
		marked := map[int]string{}
		for _, m := range q.Marked {
			marked[m.Index] = m.Text
		}
		q.How.mark = func(i int, f File) string {
			if text, ok := marked[i]; ok {
				return text
			}
			return string(f.Data)
		}
	}
	return c, q.Options, q.How
}

// objects renders the chart in a process with bounds.
func (c *Chart) objects(ctx context.Context, o Options) ([]Object, error) {
	q, err := c.question(o, rendering{})
	if err != nil {
		return nil, err
	}
	return makeObjects.Run(ctx, c.subject(), q)
}

// isTemplate reports whether a file may be a template of the chart or of a subchart.
func isTemplate(name string) bool { return strings.Contains("/"+name, "/templates/") }

// subject returns what messages call the chart while none of its files is rendered.
func (c *Chart) subject() string { return "chart " + c.shown }

func objectsHere(q question) ([]Object, error) {
	c, o, _ := q.chart()
	objects, err := c.objectsHere(o)
	size := &yamlfile.Size{}
	for _, o := range objects {
		if err := size.Add(path.Join(c.shown, o.Template), o.Text); err != nil {
			return nil, err
		}
	}
	return objects, err
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
	for i := range made {
		made[i].file = c.files[made[i].Index]
	}
	return &rendered{templates: made}, nil
}

func templatesHere(q question) ([]renderedTemplate, error) {
	c, o, how := q.chart()
	r, err := c.renderHere(o, how)
	if err != nil {
		return nil, err
	}
	size := &yamlfile.Size{}
	for i, t := range r.templates {
		if err := size.Add(t.file.Shown, []byte(t.Text)); err != nil {
			return nil, err
		}
		if how.Uses {
			r.templates[i].Uses = uses(t)
		}
	}
	return r.templates, nil
}
