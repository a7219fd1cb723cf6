package report

import (
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

// RunName is the name, in the store, of the record of the last run. The record is not in dist/,
// which has the same bytes however long a run takes.
const RunName = "release.run.json"

// Run is the record of a run: its steps, and when they began and ended.
type Run struct {
	RunVersion int             `json:"runVersion"` // of the file's format
	Product    string          `json:"product"`
	Version    string          `json:"version"`
	Began      time.Time       `json:"began"`
	Steps      []progress.Step `json:"steps"`
}

// NewRun returns the record of a run of a product and version.
func NewRun(product, version string, r *progress.Record) *Run {
	return &Run{stagefile.Run.Version, product, version, r.Began().UTC(), r.Steps()}
}

// Write writes the record to a store.
func (r *Run) Write(store string) error { return stagefile.Run.Write(filepath.Join(store, RunName), r) }

// maxRun is a month in seconds, longer than any run takes.
const maxRun = 31 * 86400

// ReadRun reads the record of the last run from a store.
func ReadRun(store string) (*Run, error) {
	r, path := &Run{}, filepath.Join(store, RunName)
	if err := stagefile.Run.Read(path, r); err != nil {
		return nil, err
	}
	for _, s := range r.Steps {
		if !(0 <= s.Begin && s.Begin <= s.End && s.End < maxRun) {
			return nil, fmt.Errorf("%s: %w", path,
				stagefile.Run.Invalid(fmt.Errorf("%q is from %g to %g seconds", s.Name, s.Begin, s.End)))
		}
	}
	return r, nil
}

// step is a bar of the timeline. X and Width are in tenths of a percent of the run.
type step struct {
	progress.Step
	X, Width float64
	Took, At string
	Beside   string // the steps of its kind that ran at the same time
}

// timeline draws the steps of the run, and lists for each those that ran at the same time.
func (p *page) timeline(r *Run) {
	if r == nil {
		return
	}
	total := 0.001
	for _, s := range r.Steps {
		total = max(total, s.End)
	}
	text := func(seconds float64) string { return progress.Duration(time.Duration(seconds * float64(time.Second))) }
	p.Ran = fmt.Sprintf("The last run, of %s %s, took %s.", r.Product, r.Version, text(total))
	for n, s := range r.Steps {
		out := step{
			Step: s, X: math.Round(10000*s.Begin/total) / 10,
			Width: max(math.Round(10000*(s.End-s.Begin)/total)/10, 1), Took: text(s.End - s.Begin), At: text(s.Begin),
		}
		var others []string
		for m, o := range r.Steps {
			if m != n && o.Stage == s.Stage && o.Begin < s.End && s.Begin < o.End {
				others = append(others, o.Name)
			}
		}
		out.Beside = some(others)
		p.Steps = append(p.Steps, out)
	}
}
