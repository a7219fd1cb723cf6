package chart

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/render/renderer"
)

// lines returns the result of places. A second rendering, at another time, must not differ.
func (c *Chart) lines(ctx context.Context, o Options, plain *rendered) (map[string][]string, error) {
	all, differs, err := c.places(ctx, o, plain, rendering{Later: true})
	if err == nil && differs { // because of the marks, or in fact
		err = c.stable(ctx, o, plain, all)
	}
	return all, err
}

// places returns the place of each line of each rendered template. A line of unknown place gets
// that of the template. Places are found by a rendering with marks, and differs reports whether
// that differs in more than the marks.
func (c *Chart) places(ctx context.Context, o Options,
	plain *rendered, how rendering,
) (all map[string][]string, differs bool, err error) {
	all = map[string][]string{}
	for _, defines := range []bool{true, false} {
		m := &marker{defines: defines}
		how.mark, how.Unchecked = m.text, true
		marked, err := c.render(ctx, o, how)
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if renderer.Exceeded(err) {
			return nil, false, err
		}
		if differs = err != nil || len(marked.templates) != len(plain.templates); differs {
			continue // a template that reads what another one made does not take marks
		}
		for i, t := range plain.templates {
			text := marked.templates[i].Text
			differs = differs || mark.ReplaceAllString(text, "") != t.Text
			if _, known := all[t.Name]; !known && strings.Count(text, "\n") == strings.Count(t.Text, "\n") {
				all[t.Name] = m.lines(t.file, text)
			}
		}
		if !differs {
			break
		}
	}
	for _, t := range plain.templates {
		if all[t.Name] == nil {
			all[t.Name] = slices.Repeat([]string{t.file.Shown}, 1+strings.Count(t.Text, "\n"))
		}
	}
	return all, differs, nil
}

// stable renders again, at another time, and reports the first line that differs. Pods of "helm
// test" may: they are not installed, and often have random names.
func (c *Chart) stable(ctx context.Context, o Options, plain *rendered, lines map[string][]string) error {
	again, err := c.render(ctx, o, rendering{Later: true})
	if err != nil {
		return err
	}
	for i, t := range plain.templates {
		if i < len(again.templates) && again.templates[i].Text == t.Text {
			continue
		}
		other := ""
		if i < len(again.templates) && again.templates[i].Name == t.Name {
			other = again.templates[i].Text
		}
		if at := unlike(t, other, lines[t.Name]); at != "" {
			return fmt.Errorf("%s: the line changes with every rendering, by a random value or the time: "+
				"set the value that it is made from, so that the template does not make one", at)
		}
	}
	return nil
}

// unlike returns the place of the first line that differs and is not of a test.
func unlike(t renderedTemplate, other string, lines []string) string {
	one, two := documents("", t.Text, lines), documents("", other, nil)
	if len(one) != len(two) {
		return t.file.Shown
	}
	for i, o := range one {
		if slices.ContainsFunc(o.Hooks, func(h string) bool { return strings.HasPrefix(h, "test") }) {
			continue
		}
		left, right := strings.Split(string(o.Text), "\n"), strings.Split(string(two[i].Text), "\n")
		for n := range left {
			if n >= len(right) || left[n] != right[n] {
				return cmp.Or(o.Origin(n+1), t.file.Shown)
			}
		}
	}
	return ""
}

// lines returns the place of each line of a text with marks: that of its first mark. A line
// without marks was made by the action of a template whose line ends further down.
func (m *marker) lines(f File, text string) []string {
	list := strings.Split(text, "\n")
	places := make([]string, len(list))
	next := ""
	for i := len(list) - 1; i >= 0; i-- {
		if found := mark.FindStringSubmatch(list[i]); found != nil {
			if n, err := strconv.Atoi(found[1]); err == nil && n < len(m.places) {
				next = m.places[n]
			}
		}
		places[i] = next
		if next == "" {
			places[i] = f.Shown
		}
	}
	return places
}
