package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/render/chart"
)

// CheckListed compares the images that annotations of a chart list with those that it renders, in
// all cases together.
func CheckListed(c *chart.Chart, rendered []string) []Finding {
	var found []problem
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
			what := l.Annotation + " " + fmt.Sprintf(format, args...)
			found = append(found, problem{
				place: place{-1, "annotations." + l.Annotation, l.Pos}, rule: "chart-images", what: what, which: what,
			})
		}
		if l.Fault != "" {
			add("is not a list: %s", l.Fault)
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
	return (&manifests{}).findings(found)
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
