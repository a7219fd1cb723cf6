package pages

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

// bar is a step of the timeline. X and Width are fractions of the run.
type bar struct {
	Name, Begin, End string
	X, Width         float64
	Beside           string
}

const bars = `() => [...document.querySelectorAll("tr.step")].map(r => {
  const all = r.querySelector("svg").getBoundingClientRect(), own = r.querySelector("rect").getBoundingClientRect();
  return {name: r.dataset.step, begin: r.dataset.begin, end: r.dataset.end, x: (own.left - all.left) / all.width, width: own.width / all.width, beside: r.lastElementChild.textContent};
})`

// timeline compares the bars with the record of the run.
func timeline(o *tab, steps []progress.Step) (wrong []string) {
	seen := evaluate[[]bar](o, bars)
	if len(seen) != len(steps) || len(seen) < 5 {
		return append(wrong, fmt.Sprintf("the record has %d steps: the page %d", len(steps), len(seen)))
	}
	total := 0.0
	for _, s := range steps {
		total = max(total, s.End)
	}
	for n, s := range steps {
		b := seen[n]
		if b.Name != s.Name || b.Begin != fmt.Sprint(s.Begin) || b.End != fmt.Sprint(s.End) {
			wrong = append(wrong, fmt.Sprintf("step %d is %+v: %+v", n, s, b))
		}
		if near := func(a, b float64) bool {
			return math.Abs(a-b) < 0.005
		}; !near(b.X, s.Begin/total) || !near(b.Width, (s.End-s.Begin)/total) {
			wrong = append(wrong, fmt.Sprintf("the bar of %s is at %.3f and %.3f wide", s.Name, b.X, b.Width))
		}
		if (b.Beside != "") != beside(steps, n) {
			wrong = append(wrong, fmt.Sprintf("beside %s ran %q", s.Name, b.Beside))
		}
	}
	return wrong
}

// beside reports whether another step of the same kind ran at the same time.
func beside(all []progress.Step, n int) bool {
	for m, s := range all {
		if m != n && s.Stage == all[n].Stage && s.Begin < all[n].End && all[n].Begin < s.End {
			return true
		}
	}
	return false
}

// TestTimeline compares the timeline of a release with the record of its run.
func TestTimeline(t *testing.T) {
	r := ran(t)
	var record struct{ Steps []progress.Step }
	must(t, json.Unmarshal([]byte(read(t, filepath.Join(recorded(), stagefile.Run.Name))), &record))
	check := func(o *tab) []string { return timeline(o, record.Steps) }
	o := open(t, r.page, view{width: 1440})
	report(t, "ran", check(o))
	mutant{`data-step="checking" data-begin="`, `data-step="checking" data-begin="1`, check}.try(o,
		"time of a step", r.page)
	mutant{
		`aria-hidden="true"><rect x="0" width="`, `aria-hidden="true"><rect x="300" width="`,
		check,
	}.try(o, "bar of a step", r.page)
}
