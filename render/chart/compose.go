package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/render/renderer"
)

// Marks behind values show which of them a reference is made of.
const (
	valueStart = "\uE0B0"
	valueEnd   = "\uE0B1"
)

var valueMark = lazyregexp.New(`\x{E0B0}(\d+)\x{E0B1}`)

// part is a part of a reference: a value, or text of a template.
type part struct {
	start, end int    // in the reference
	value      *value // nil for one of a case
}

// compose finds what the references of all cases are made of: it renders with a mark behind each
// value that may be a part of one.
func (p *pinner) compose() error {
	p.parts = map[string][]part{}
	all, references := p.candidates()
	views, err := p.marked(all, references)
	switch {
	case err == nil:
		p.match(views, all)
		return nil
	case renderer.Exceeded(err):
		return err
	}
	for _, v := range all { // a template compares one of the values
		if p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		one := []*value{v}
		views, err := p.marked(one, references)
		switch {
		case err == nil:
			p.match(views, one)
		case renderer.Exceeded(err):
			return err
		}
	}
	return nil
}

// candidates returns the values that may be parts of references that are to be pinned.
func (p *pinner) candidates() (values []*value, references []string) {
	for n, v := range p.before {
		for _, u := range v.uses {
			if u.inCase = n; !p.failed[u.key()] {
				references = append(references, u.Reference)
			}
		}
	}
	slices.Sort(references)
	references = slices.Compact(references)
	all := p.chart.allValues()
	return slices.DeleteFunc(all, func(v *value) bool {
		return v.node.Tag == "!!null" || v.node.Tag == "!!bool" ||
			!slices.ContainsFunc(references, func(r string) bool { return isPart(r, v.node.Value) })
	}), references
}

// isPart reports whether a text may be a part of a reference: it begins and ends where one does.
func isPart(reference, text string) bool {
	const separators = "/:@-."
	if text == "" || strings.Trim(text, separators) == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(reference[from:], text)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(text)
		if (start == 0 || strings.ContainsAny(reference[start-1:start]+text[:1], separators) ||
			text[0] >= '0' && text[0] <= '9') &&
			(end == len(reference) || strings.ContainsAny(reference[end:end+1]+text[len(text)-1:], separators)) {
			return true
		}
		from = start + 1
	}
}

// marked renders the chart with a mark behind each of some values, and behind those of the cases.
func (p *pinner) marked(values []*value, references []string) ([]view, error) {
	c := p.chart
	for n, v := range slices.Backward(values) { // so that the places of those before stay
		if changed, err := c.set(v, marked(v.node.Value, n)); err == nil {
			c = changed
		}
	}
	return p.viewsOf(c, rendering{Fixed: true, Unchecked: true}, func(values map[string]any) map[string]any {
		out, _ := mapScalars(values, func(v any) any {
			text := fmt.Sprint(v)
			_, isBool := v.(bool)
			if v == nil || isBool || !slices.ContainsFunc(references, func(r string) bool { return isPart(r, text) }) {
				return v
			}
			return marked(text, ofCase)
		}).(map[string]any)
		return out
	})
}

// ofCase is the number of the values of a case.
const ofCase = 1 << 30

func marked(text string, n int) string { return text + valueStart + strconv.Itoa(n) + valueEnd }

// match finds the parts of the references in marked views.
func (p *pinner) match(views []view, values []*value) {
	for n, v := range p.before {
		marked := map[string]string{}
		for _, u := range views[n].uses {
			u.inCase = n
			plain := valueMark.ReplaceAllString(u.Reference, "")
			whole := u.Reference
			u.Reference = plain
			marked[u.key()] = whole
		}
		for _, u := range v.uses {
			u.inCase = n
			if text, ok := marked[u.key()]; ok {
				p.parts[u.key()] = append(p.parts[u.key()], partsOf(text, values)...)
			}
		}
	}
}

// partsOf reads the marks in a reference.
func partsOf(text string, values []*value) []part {
	var all []part
	removed := 0
	for _, m := range valueMark.FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.Atoi(text[m[2]:m[3]])
		end := m[0] - removed
		removed += m[1] - m[0]
		if err == nil && n == ofCase {
			all = append(all, part{start: end, end: end})
		}
		if err != nil || n >= len(values) {
			continue
		}
		if v := values[n]; end >= len(v.node.Value) {
			all = append(all, part{start: end - len(v.node.Value), end: end, value: v})
		}
	}
	return all
}
