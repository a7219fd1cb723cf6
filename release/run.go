package release

import (
	"context"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/store"
)

// run is what all stages of a release share. What a stage leaves to those after it is a value:
// [checked], then [made], [proof] and [result].
type run struct {
	described *product.Product // as slipway.yaml has it
	options   Options
	out       string // the output directory, absolute
	store     *store.Store
	warnings  progress.Warnings
	stage     func(name string) // begins a stage in the record
}

// begin locks the store and the output directory until end is called. end also writes to the store
// what the run did and when, also of a run that failed. A release does not fail for it.
func begin(ctx context.Context, p *product.Product, o Options) (c *run, end func(), err error) {
	o = o.places(p)
	out, err := filepath.Abs(o.Out)
	if err != nil {
		return nil, nil, err
	}
	st, err := store.Open(o.Store)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range st.Mended() {
		o.Progress.Printf("%s", line)
	}
	leave, err := st.Lock(ctx, o.Progress.Printf)
	if err != nil {
		return nil, nil, err
	}
	unlock, err := Hold(ctx, o.Out, o.Progress)
	if err != nil {
		leave()
		return nil, nil, err
	}
	if err := CheckOut(o.Out, p.Name, planned(p)); err != nil {
		unlock()
		leave()
		return nil, nil, err
	}
	var record *progress.Record
	o.Progress, record = progress.Recording(o.Progress)
	c = &run{described: p, options: o, out: out, store: st, warnings: progress.Warnings{Printer: o.Progress}, stage: record.Stages()}
	return c, func() {
		c.stage("")
		if err := report.NewRun(p.Name, p.Version, record).Write(st.Dir()); err != nil {
			o.Progress.Printf("warning: the record of the run is missing: %v", err)
		}
		unlock()
		leave()
	}, nil
}
