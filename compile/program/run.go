package program

import (
	"context"
	"os"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/progress"
)

// build compiles a batch. What record does is left to be done; nil is nothing.
func (s *Set) build(ctx context.Context, pr *progress.Printer, b *batch) (record func() (*times.Weights, error)) {
	r, err := b.run(ctx, pr)
	s.fail(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = append(s.read, read{b, r.inputs})
	for n, p := range b.programs {
		is := s.programs[id(p.Name, p.Platform)]
		if err != nil {
			is.err = ErrFailed{p.Name, b.system}
		} else {
			is.output = r.outputs[n]
		}
		close(is.done)
	}
	return r.record
}

// end adds what record of a batch returns.
func (s *Set) end(took *times.Weights, err error) {
	s.fail(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times.Add(took)
}

func (s *Set) fail(err error) {
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.failures = append(s.failures, err)
	}
}

// result is what came of a batch.
type result struct {
	outputs []Output    // of its programs
	inputs  *comparison // what the programs are compiled from; nil where that is not known
	// record remembers that, and returns how long compiling took; nil for nothing
	record func() (*times.Weights, error)
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
	var rest []member
	var places []int // in outputs
	for n, p := range b.programs {
		var ok bool
		if r.outputs[n], ok = r.inputs.current(p); !ok {
			rest, places = append(rest, p), append(places, n)
		}
	}
	if len(rest) == 0 {
		b.clearTemp()
		return r, nil
	}
	if err := b.download(ctx); err != nil {
		return r, err
	}
	r.inputs.learn(ctx)
	made, actions, err := b.make(ctx, pr, key, rest)
	if err != nil {
		actions.remove()
		return r, err
	}
	for n, o := range made {
		r.outputs[places[n]] = o
	}
	r.record = func() (*times.Weights, error) {
		defer b.clearTemp()
		defer actions.remove()
		return actions.times(b.system), r.inputs.record(ctx, rest, made)
	}
	return r, nil
}

// clearTemp removes what commands in the sandbox left.
func (b *batch) clearTemp() {
	if b.programs[0].Tree.Source.Sandbox.On() {
		os.RemoveAll(b.temp) // what cannot be removed the next run reports
	}
}
