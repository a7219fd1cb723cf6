package chart

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Unrendered is a value that names an image, and that no case renders.
type Unrendered struct {
	Pos       yamlfile.Pos
	Path      string // in the values of the chart
	Reference string
}

// imageKey matches the keys of values that name images.
var imageKey = lazyregexp.New(`(?i)image|repo(sitory)?$`)

// unrendered reports the values that name images which Find knows by another name, and that no
// use was made of. Those that a chart above replaces never are.
func (p *pinner) unrendered() {
	if p.options.Unrendered == nil || p.options.Find == nil {
		return
	}
	used := map[string]bool{}
	at := func(v *value) string { return v.file + "\x00" + yamlfile.Path("", v.path...) }
	for _, parts := range p.parts {
		for _, t := range parts {
			if t.value != nil {
				used[at(t.value)] = true
			}
		}
	}
	for _, v := range p.chart.allValues() {
		if used[at(v)] || v.node.Kind != yaml.ScalarNode || !strings.Contains(v.node.Value, "/") ||
			v.key == nil || !imageKey.MatchString(v.key.Value) {
			continue
		}
		i := p.options.Find(v.node.Value)
		if i == nil || i.is(v.node.Value) ||
			!slices.ContainsFunc(v.charts, func(chart []any) bool { return !p.replaced(v, chart) }) {
			continue
		}
		f, _ := p.chart.file(v.file)
		p.options.Unrendered(Unrendered{
			yamlfile.Pos{File: f.Shown, Line: v.node.Line, Column: v.node.Column},
			v.at(v.charts[0]), v.node.Value,
		})
	}
}
