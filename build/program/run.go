package program

import (
	"context"
	"os"

	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/internal/progress"
)

// result is what came of a batch.
type result struct {
	outputs []Output       // of its programs
	times   *times.Weights // of what was compiled; nil for nothing
	inputs  *comparison    // what the programs are compiled from; nil where that is not known
	record  func() error   // remembers that; nil for nothing
}

// run compiles the batch into its directory, without the programs that are there and current.
func (b *batch) run(ctx context.Context, pr *progress.Printer) (r result, err error) {
	for _, p := range b.programs {
		if err := p.checkConfined(); err != nil {
			return r, err
		}
	}
	if _, err := b.store.Work(b.work); err != nil {
		return r, err
	}
	if err := b.tidy(); err != nil {
		return r, err
	}
	key, err := b.fixed(ctx)
	if err != nil {
		return r, err
	}
	if r.outputs = b.recall(key); r.outputs != nil {
		return r, nil
	}
	if r.inputs, err = b.compare(ctx); err != nil {
		return r, err
	}
	r.outputs = make([]Output, len(b.programs))
	var rest []Program
	var places []int // in outputs
	for n, p := range b.programs {
		var ok bool
		if r.outputs[n], ok = r.inputs.current(p); !ok {
			rest, places = append(rest, p), append(places, n)
		}
	}
	if len(rest) == 0 {
		b.clear()
		return r, nil
	}
	if err := b.download(ctx); err != nil {
		return r, err
	}
	r.inputs.learn(ctx)
	var made []Output
	if made, r.times, err = b.make(ctx, pr, key, rest); err != nil {
		return r, err
	}
	for n, o := range made {
		r.outputs[places[n]] = o
	}
	if r.inputs == nil {
		b.clear()
		return r, nil
	}
	r.record = func() error {
		defer b.clear()
		return r.inputs.record(ctx, rest, made)
	}
	return r, nil
}

// clear removes temporary files of commands in the sandbox. What cannot be removed the next run
// reports.
func (b *batch) clear() {
	if b.programs[0].Tree.Source.Sandbox.On() {
		os.RemoveAll(b.temp)
	}
}
