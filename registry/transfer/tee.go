package transfer

import (
	"context"
	"io"
	"maps"
	"sync"
	"time"
)

// window is how far, in bytes, one branch of a [tee] may be ahead of another.
const window = 1 << 20

// lead is how much of a blob every destination must have taken before the next large blob begins,
// more than connections buffer: by then each registry is reading the blob. A registry
// that reads one upload at a time would otherwise begin with another one than the next registry
// does, and each would wait for bytes that the other one holds up.
const lead = 4 << 20

// tee gives a blob to several destinations and reads it from the source once. Reading begins when
// each has asked for the bytes, or turned out not to need them. The branches that are ahead wait
// for the others, which are at most a window behind. One that does not get on for some time is
// left behind: it reads the source for itself from then on.
type tee struct {
	open     func() (io.ReadCloser, error)
	patience time.Duration
	gate     chan struct{} // has one element while a large blob begins

	mu       sync.Mutex
	changed  chan struct{}  // closed, and replaced, with every change
	awaited  map[*push]bool // have neither asked for the bytes nor left
	begun    bool           // who asks now reads for itself
	source   io.ReadCloser
	busy     bool // a branch opens or reads the source
	gated    bool // this is the blob that begins
	size     int64
	ring     []byte // the bytes from start to end, each at its position modulo the length
	start    int64
	end      int64
	err      error // what the source ended with, at end
	branches map[*push]*branch
}

func newTee(open func() (io.ReadCloser, error), size int64, patience time.Duration, gate chan struct{}) *tee {
	return &tee{
		open: open, size: size, patience: patience, gate: gate, changed: make(chan struct{}),
		awaited: map[*push]bool{}, branches: map[*push]*branch{},
	}
}

// join returns a reader of the blob for a destination. Its first one is a branch of the tee;
// after an error, or if the others have begun without it, it reads for itself.
func (t *tee) join(ctx context.Context, p *push) (io.ReadCloser, error) {
	t.mu.Lock()
	if t.begun || p.late.Load() || !t.awaited[p] {
		t.mu.Unlock()
		t.leave(p)
		return t.open()
	}
	defer t.mu.Unlock()
	b := &branch{tee: t, push: p, done: ctx}
	delete(t.awaited, p)
	t.branches[p] = b
	t.signal()
	if err := t.begin(ctx, p); err != nil {
		t.remove(b)
		return nil, err
	}
	return b, nil
}

// begin waits for the other destinations, but not long for one that is stuck, and opens the
// source.
func (t *tee) begin(ctx context.Context, p *push) error {
	w := t.wait(p)
	for t.expects() {
		switch late, err := w.change(ctx); {
		case err != nil:
			return err
		case late:
			for other := range t.awaited {
				other.late.Store(other.late.Load() || other.stuck(t.patience))
			}
		}
	}
	for t.busy {
		if _, err := w.change(ctx); err != nil {
			return err
		}
	}
	if t.begun {
		return t.openErr()
	}
	t.busy = true
	t.mu.Unlock()
	source, err := t.openGated(ctx, p)
	t.mu.Lock()
	t.begun, t.busy = true, false
	t.source, t.err = source, err
	t.ring = make([]byte, max(1, min(t.size, window)))
	t.signal()
	return t.openErr()
}

// openGated opens the source; a large one once the large blob before it is under way.
func (t *tee) openGated(ctx context.Context, p *push) (io.ReadCloser, error) {
	if t.size <= window {
		return t.open()
	}
	defer p.waiting()()
	select {
	case t.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	t.gated = true // no other goroutine uses it before the tee has begun
	return t.open()
}

// ungate lets the next large blob begin.
func (t *tee) ungate() {
	if t.begun && t.gated && (t.start >= min(t.size, lead) || len(t.branches) == 0) {
		t.gated = false
		<-t.gate
	}
}

// openErr is the error for a source that could not be opened.
func (t *tee) openErr() error {
	if t.source == nil {
		return t.err
	}
	return nil
}

// expects reports whether a destination that gets on may still ask for the bytes.
func (t *tee) expects() bool {
	for p := range t.awaited {
		if !t.begun && !p.late.Load() {
			return true
		}
	}
	return false
}

// leave takes a destination out that needs no bytes, or no more of them.
func (t *tee) leave(p *push) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.branches[p]; b != nil {
		t.remove(b)
	}
	if t.awaited[p] {
		delete(t.awaited, p)
		t.signal()
	}
}

// remove ends a branch. The last one closes the source.
func (t *tee) remove(b *branch) {
	b.closed = true
	if t.branches[b.push] == b {
		delete(t.branches, b.push)
	}
	t.advance()
	t.signal()
	t.release()
}

// release closes the source if no reader needs it.
func (t *tee) release() {
	if t.begun && !t.busy && len(t.branches) == 0 && t.source != nil {
		t.source.Close()
		t.source, t.ring = nil, nil
		if t.err == nil {
			t.err = io.ErrClosedPipe
		}
	}
}

// advance moves the start of the window to the slowest branch.
func (t *tee) advance() {
	start := t.end
	for _, b := range t.branches {
		start = min(start, b.at)
	}
	if start != t.start {
		t.start = start
		t.signal()
	}
	t.ungate()
}

// fill reads a piece of the source into the window.
func (t *tee) fill() {
	at := t.end % int64(len(t.ring))
	piece := t.ring[at:min(int64(len(t.ring)), at+int64(len(t.ring))-(t.end-t.start))]
	source := t.source
	t.busy = true
	t.mu.Unlock()
	n, err := source.Read(piece)
	t.mu.Lock()
	t.busy = false
	t.end += int64(n)
	t.err = err
	t.signal()
	t.release()
}

// abandon leaves the slowest branches behind.
func (t *tee) abandon() {
	for p, b := range maps.Clone(t.branches) {
		if b.at == t.start {
			p.late.Store(true)
			b.alone = true
			delete(t.branches, p)
		}
	}
	t.advance()
	t.signal()
}

func (t *tee) signal() {
	close(t.changed)
	t.changed = make(chan struct{})
}
