package chart

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// lines returns the place of each line of each rendered template. Where it cannot be known, it is
// that of the template. It is an error if a second rendering differs.
func (c *Chart) lines(ctx context.Context, o Options, plain *rendered) (map[string][]string, error) {
	all := map[string][]string{}
	differs := false
	for _, defines := range []bool{true, false} {
		m := &marker{defines: defines}
		marked, err := c.render(ctx, o, rendering{later: true, mark: m.text})
		if err != nil {
			differs = true
			continue // a template that reads what another one made does not take marks
		}
		for i, t := range plain.templates {
			if i >= len(marked.templates) || marked.templates[i].name != t.name {
				differs = true
				break
			}
			text := marked.templates[i].text
			differs = differs || mark.ReplaceAllString(text, "") != t.text
			if _, known := all[t.name]; !known && strings.Count(text, "\n") == strings.Count(t.text, "\n") {
				all[t.name] = m.lines(t.file, text)
			}
		}
		if !differs {
			break
		}
	}
	for _, t := range plain.templates {
		if all[t.name] == nil {
			all[t.name] = slices.Repeat([]string{t.file.shown}, 1+strings.Count(t.text, "\n"))
		}
	}
	if differs { // because of the marks, or in fact
		if err := c.stable(ctx, o, plain, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// stable renders again, at another time, and reports the first line that differs.
func (c *Chart) stable(ctx context.Context, o Options, plain *rendered, lines map[string][]string) error {
	again, err := c.render(ctx, o, rendering{later: true})
	if err != nil {
		return err
	}
	for i, t := range plain.templates {
		if i < len(again.templates) && again.templates[i].text == t.text {
			continue
		}
		at := t.file.shown
		if i < len(again.templates) && again.templates[i].name == t.name {
			one, two := strings.Split(t.text, "\n"), strings.Split(again.templates[i].text, "\n")
			for n := range min(len(one), len(two)) {
				if one[n] != two[n] {
					at = lines[t.name][n]
					break
				}
			}
		}
		return fmt.Errorf("%s: the line is another one each time that the chart is rendered, by a random value or the time: set the value that it is made from, so that the template does not make one", at)
	}
	return nil
}

// lines returns the place of each line of a text with marks: that of its first mark. What has
// none was made by the action of a template whose line ends further down.
func (m *marker) lines(f file, text string) []string {
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
			places[i] = f.shown
		}
	}
	return places
}
