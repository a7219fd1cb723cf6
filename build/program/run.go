package program

import (
	"context"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// run compiles the batch into its directory in the store's scratch space, without the programs
// that are there and current, and returns all programs. What they were compiled from is recorded
// by record, if that is not nil.
func (b *batch) run(ctx context.Context, st *store.Store, pr *progress.Printer) (all []Output, record func() error, err error) {
	b.sources = func() []Read { return b.read(nil) }
	for _, p := range b.programs {
		if err := p.checkConfined(); err != nil {
			return nil, nil, err
		}
	}
	dir, err := st.Work(b.work())
	if err != nil {
		return nil, nil, err
	}
	if err := tidy(dir); err != nil {
		return nil, nil, err
	}
	key, err := b.fixed(ctx)
	if err != nil {
		return nil, nil, err
	}
	if outputs := b.recall(st, key, dir); outputs != nil {
		return outputs, nil, nil
	}
	c, err := b.compare(ctx, st, dir)
	if err != nil {
		return nil, nil, err
	}
	b.sources = func() []Read { return b.read(c) }
	all = make([]Output, len(b.programs))
	var rest []Program
	var at []int // their places in all
	for n, p := range b.programs {
		var ok bool
		if all[n], ok = c.current(p); !ok {
			rest, at = append(rest, p), append(at, n)
		}
	}
	if len(rest) == 0 {
		b.clear(dir)
		return all, nil, nil
	}
	if err := b.download(ctx, st); err != nil {
		return nil, nil, err
	}
	if c != nil {
		c.learn(ctx)
	}
	made, err := b.make(ctx, st, pr, key, dir, rest)
	if err != nil {
		return nil, nil, err
	}
	for n, o := range made {
		all[at[n]] = o
	}
	if c != nil {
		record = func() error { defer b.clear(dir); return c.record(ctx, rest, made) }
	} else {
		b.clear(dir)
	}
	return all, record, nil
}

// make compiles programs of the batch.
func (b *batch) make(ctx context.Context, st *store.Store, pr *progress.Printer, key, dir string, programs []Program) ([]Output, error) {
	if err := b.prove(ctx, st, dir, programs); err != nil {
		return nil, err
	}
	if err := b.compile(ctx, st, pr, dir, programs); err != nil {
		return nil, err
	}
	return keep(ctx, st, key, dir, programs)
}
