package progress

import (
	"cmp"
	"io"
	"slices"
	"sync"
	"time"
)

// Step is a piece of work that a run has ended.
type Step struct {
	Name string `json:"name"`
	// Begin and End are the seconds since the run began, to milliseconds.
	Begin float64 `json:"begin"`
	End   float64 `json:"end"`
	// Stage means that it is one of those that a run consists of, one after another; the others are
	// tasks.
	Stage  bool `json:"stage,omitempty"`
	Failed bool `json:"failed,omitempty"`
}

// Record has the steps of a run. Several goroutines may add to it.
type Record struct {
	began time.Time
	mu    sync.Mutex
	steps []Step
}

// Recording wraps p, or a quiet printer if p is nil, and records its tasks.
func Recording(p *Printer) (*Printer, *Record) {
	if p == nil {
		p = New(io.Discard)
	}
	r := &Record{began: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.record = r
	return p, r
}

// Began is when the record begins.
func (r *Record) Began() time.Time { return r.began }

// Steps returns what has ended so far, in the order of its beginning.
func (r *Record) Steps() []Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.steps)
	slices.SortStableFunc(all, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
	})
	return all
}

// add adds a step that ends now. A nil record keeps none.
func (r *Record) add(name string, begin time.Time, stage, failed bool) {
	if r == nil {
		return
	}
	since := func(t time.Time) float64 { return float64(t.Sub(r.began).Milliseconds()) / 1000 }
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = append(r.steps, Step{name, max(since(begin), 0), since(time.Now()), stage, failed})
}

// Stages returns a function that begins the stage of a name, and ends the one before; without a
// name it begins none. Nothing is printed.
func (r *Record) Stages() (next func(name string)) {
	var name string
	var begin time.Time
	return func(other string) {
		if name != "" {
			r.add(name, begin, true, false)
		}
		name, begin = other, time.Now()
	}
}
