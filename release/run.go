package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/store"
)

// run has the fields that all stages of a release share. A stage hands a value on to the next:
// [checked], then [made], [proof] and [result].
type run struct {
	described *product.Product // as slipway.yaml has it
	options   Options
	out       string // the output directory, absolute
	store     *store.Store
	warnings  progress.Warnings
	stage     func(name string) // begins a stage in the record
}

// begin locks the store and the output directory until end is called. end also writes the record of
// the run, failed or not, to the store; if that fails, the release does not.
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
	if err := CheckOut(o.Out, p.Name, plannedFiles(p)); err != nil {
		unlock()
		leave()
		return nil, nil, err
	}
	var record *progress.Record
	o.Progress, record = progress.Recording(o.Progress)
	c = &run{described: p, options: o, out: out, store: st, stage: record.Stages()}
	c.warnings.Printer = o.Progress
	return c, func() {
		c.stage("")
		if err := report.NewRun(p.Name, p.Version, record).Write(st.Dir()); err != nil {
			o.Progress.Printf("warning: the record of the run is missing: %v", err)
		}
		unlock()
		leave()
	}, nil
}

// Hold locks the output directory dir until unlock is called. A missing dir is made, partial
// files that killed processes left are removed, and a new or empty dir gets a .gitignore; where
// nothing else was written, unlock removes both. A store as dir is an error. A caller that uses a
// store must have locked that first.
func Hold(ctx context.Context, dir string, pr *progress.Printer) (unlock func(), err error) {
	if store.Is(dir) {
		return nil, fmt.Errorf("%s is a store of built images: name another directory with -out", dir)
	}
	_, err = os.Lstat(dir)
	made := errors.Is(err, fs.ErrNotExist)
	d, err := disk.MakeLocked(ctx, dir, pr.Printf)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	sweepTemporary(dir)
	entries, err := d.ReadDir()
	begun := err == nil && len(entries) == 0 && !disk.Ignored(dir)
	if err == nil && len(entries) == 0 {
		err = disk.Ignore(dir)
	}
	leave := d.Unlock
	if made {
		leave = d.Leave
	}
	if err != nil {
		leave()
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	return func() {
		if entries, err := d.ReadDir(); begun && err == nil && len(entries) == 0 {
			disk.Unignore(dir) //nolint:errcheck // it may stay
		}
		leave()
	}, nil
}

// sweepTemporary removes partial files from the directories in an output directory, which its lock
// covers.
func sweepTemporary(dir string) {
	disk.Sweep(filepath.Join(dir, distfile.Programs))
	disk.Sweep(filepath.Join(dir, distfile.SBOMs))
}

// places fills in the default directories.
func (o Options) places(p *product.Product) Options {
	o.Out = cmp.Or(o.Out, "dist")
	o.Store = cmp.Or(o.Store, filepath.Join(p.Dir, ".slipway"))
	return o
}
