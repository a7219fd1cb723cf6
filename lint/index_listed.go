package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/internal/output"
)

// CheckListed compares the images that annotations of a chart list with those that it renders, in
// all cases together.
func CheckListed(c *chart.Chart, rendered []string) (all []Finding) {
	full := func(refs []string) map[string]string {
		known := map[string]string{}
		for _, ref := range refs {
			if r, err := name.ParseReference(ref); err == nil {
				known[r.Name()] = ref
			}
		}
		return known
	}
	makes := full(rendered)
	for _, l := range c.Listed() {
		add := func(format string, args ...any) {
			r := rule("chart-images")
			all = append(all, Finding{
				Rule: r.ID, Severity: r.Severity, File: l.Pos.File, Line: l.Pos.Line, Column: l.Pos.Column,
				Path: "annotations." + l.Annotation, Instead: r.Instead, Link: r.Link, object: -1,
				What: output.Line(l.Annotation + " " + fmt.Sprintf(format, args...)),
			})
		}
		if l.Fault != "" {
			add("is no list: %s", l.Fault)
			continue
		}
		lists := full(l.Images)
		if refs := missing(makes, lists); len(refs) > 0 {
			add("lacks %s, which the chart renders", strings.Join(refs, ", "))
		}
		if refs := missing(lists, makes); len(refs) > 0 {
			add("lists %s, which the chart does not render", strings.Join(refs, ", "))
		}
	}
	return all
}

// missing returns what one set has and another lacks, sorted.
func missing(have, other map[string]string) (all []string) {
	for key, ref := range have {
		if _, ok := other[key]; !ok {
			all = append(all, ref)
		}
	}
	slices.Sort(all)
	return all
}
