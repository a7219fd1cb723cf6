package release

import (
	"context"
	"path/filepath"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/store"
)

// run is the state of a release that is being made.
type run struct {
	described *product.Product // as slipway.yaml has it
	product   *product.Product // after check with the third-party images that manifests name
	options   Options
	out       string
	store     *store.Store
	unlock    func()
	memory    render.Memory
	builder   *build.Builder // of this run, which has looked at what the release is made from
	materials []lock.Material
	demands   []string // what a release to a registry requires and this snapshot does not
	warnings  progress.Warnings
	binary    bool // slipway for operators was written
	stated    *provenance.Statement
	signed    []byte // the Sigstore bundle with the statement; nil without a key
	record    *progress.Record
	stage     func(name string) // begins a stage in the record
	times     *times.Weights    // of compilers and linkers; nil if nothing was built here
}

func begin(ctx context.Context, p *product.Product, o Options) (*run, error) {
	o = o.places(p)
	out, err := filepath.Abs(o.Out)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(o.Store)
	if err != nil {
		return nil, err
	}
	for _, line := range st.Mended() {
		o.Progress.Printf("%s", line)
	}
	leave, err := st.Lock(ctx, o.Progress.Printf)
	if err != nil {
		return nil, err
	}
	unlock, err := Hold(ctx, o.Out, o.Progress)
	if err != nil {
		leave()
		return nil, err
	}
	c := &run{described: p, product: p, options: o, out: out, store: st}
	if err := CheckOut(o.Out, p.Name, c.planned()); err != nil {
		unlock()
		leave()
		return nil, err
	}
	c.options.Progress, c.record = progress.Recording(o.Progress)
	c.warnings.Printer = c.options.Progress
	c.stage = c.record.Stages()
	c.unlock = func() { c.keepRecord(); unlock(); leave() }
	return c, nil
}

func (c *run) end() { c.unlock() }

// keepRecord writes to the store what the run did and when, also of a run that failed. A release
// does not fail for it.
func (c *run) keepRecord() {
	c.stage("")
	p := c.described
	if err := report.NewRun(p.Name, p.Version, c.record).Write(c.store.Dir()); err != nil {
		c.options.Progress.Printf("warning: the record of the run is missing: %v", err)
	}
}
