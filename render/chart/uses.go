package chart

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// view is what a chart renders with the values of one case.
type view struct {
	rendered *rendered
	uses     []use
}

// use is a reference of an image in a rendered text.
type use struct {
	Reference string
	Template  string // as Helm's engine knows it
	Line      int    // of the rendered text of the template
	Document  int
	Path      string // of the string in its document
	Field     bool   // whether the place is one for images
	inCase    int    // the case
}

// key identifies a use.
func (u use) key() string {
	return fmt.Sprintf("%d\x00%s\x00%s", u.inCase, u.where(), u.Reference)
}

// where identifies a place of a rendering.
func (u use) where() string { return fmt.Sprintf("%s\x00%d\x00%s", u.Template, u.Document, u.Path) }

// views renders a chart with the values of each case.
func (p *pinner) views(c *Chart) ([]view, error) {
	return p.viewsOf(c, rendering{Fixed: true}, func(values map[string]any) map[string]any { return values })
}

func (p *pinner) viewsOf(c *Chart, how rendering, change func(map[string]any) map[string]any) ([]view, error) {
	all := make([]view, 0, len(p.cases))
	for n := range p.cases {
		o := p.cases[n].Options
		o.Values = change(o.Values)
		how.Uses = true
		r, err := c.render(p.ctx, o, how)
		if err != nil {
			if p.cases[n].Name != "" {
				err = fmt.Errorf("%w%s", err, inCase(p.cases[n].Name))
			}
			return nil, err
		}
		v := view{rendered: r}
		for _, t := range r.templates {
			v.uses = append(v.uses, t.Uses...)
		}
		all = append(all, v)
	}
	return all, nil
}

// uses lists the references in a rendered text.
func uses(t renderedTemplate) []use {
	var all []use
	line := 1
	for n, doc := range splitDocuments(t.Text) {
		engine.References(t.Name, doc, func(r Reference) {
			if !r.Field {
				r.Value = argument(r.Value)
			}
			if plain := valueMark.ReplaceAllString(r.Value, ""); plain != "" && token.FindString(plain) == plain {
				all = append(all, use{
					Reference: r.Value, Template: t.Name, Line: line + r.Line - 1, Document: n, Path: r.Path,
					Field: r.Field,
				})
			}
		})
		line += strings.Count(doc, "\n")
	}
	return all
}

// argument returns the reference that a string is, or that it gives to a flag: --image=REF; ""
// for other texts.
func argument(s string) string {
	if strings.HasPrefix(s, "-") {
		_, s, _ = strings.Cut(s, "=")
	}
	marked := s
	s = valueMark.ReplaceAllString(s, "")
	base, _, pinned := strings.Cut(s, "@")
	repository, tag := splitTag(base)
	if tag == "" && !pinned || !strings.Contains(repository, "/") || strings.Contains(repository, "//") ||
		token.FindString(s) != s {
		return ""
	}
	if _, err := name.ParseReference(s); err != nil && strings.Count(s, "@") < 2 {
		return ""
	}
	return marked
}

// splitDocuments splits a text before each separator of YAML.
func splitDocuments(text string) []string {
	var docs []string
	start, at := 0, 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "---") && at > start {
			docs = append(docs, text[start:at])
			start = at
		}
		at += len(line)
	}
	return append(docs, text[start:])
}
