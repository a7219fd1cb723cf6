package transfer

import (
	"context"
	"fmt"
	"io"
	"time"
)

// branch is what one destination reads of a tee. Its fields are guarded by the lock of the tee,
// except for own, which only Read uses and Close closes.
type branch struct {
	tee    *tee
	push   *push
	done   context.Context
	at     int64 // how much was read
	alone  bool  // it was left behind
	closed bool
	own    io.ReadCloser // a reading of its own; nil before it is alone
}

// Read returns the next bytes of the blob.
func (b *branch) Read(p []byte) (int, error) {
	t := b.tee
	t.mu.Lock()
	defer t.mu.Unlock()
	var w *wait
	for {
		switch {
		case b.closed:
			return 0, io.ErrClosedPipe
		case b.alone:
			return b.readAlone(p)
		case b.at < t.end:
			at := b.at % int64(len(t.ring))
			n := copy(p, t.ring[at:min(int64(len(t.ring)), at+t.end-b.at)])
			b.at += int64(n)
			t.advance()
			return n, nil
		case t.err != nil:
			return 0, t.err
		case !t.busy && t.end-t.start < int64(len(t.ring)):
			t.fill()
			continue
		}
		if w == nil || t.busy { // only others that are behind may be late
			w = t.wait(b.push)
		}
		switch late, err := w.change(b.done); {
		case err != nil:
			return 0, err
		case late && !t.busy && t.start == w.start:
			t.abandon()
		}
	}
}

// readAlone reads from a reading of its own, which goes on where the branch was left behind.
func (b *branch) readAlone(p []byte) (int, error) {
	own := b.own
	b.tee.mu.Unlock()
	defer b.tee.mu.Lock()
	if own == nil {
		var err error
		if own, err = b.tee.open(); err != nil {
			return 0, err
		}
		b.tee.mu.Lock()
		closed := b.closed
		if !closed {
			b.own = own
		}
		b.tee.mu.Unlock()
		if closed {
			own.Close()
			return 0, io.ErrClosedPipe
		}
		if n, err := io.CopyN(io.Discard, own, b.at); err != nil {
			return 0, fmt.Errorf("reading it again, after %d of %d bytes: %w", n, b.at, err)
		}
	}
	return own.Read(p)
}

// Close ends the branch.
func (b *branch) Close() error {
	b.tee.mu.Lock()
	defer b.tee.mu.Unlock()
	b.tee.remove(b)
	if b.own != nil {
		return b.own.Close()
	}
	return nil
}

// wait begins to wait for other destinations.
func (t *tee) wait(p *push) *wait {
	return &wait{tee: t, push: p, until: time.Now().Add(t.patience), start: t.start}
}

// wait is how long a branch has waited while the window did not move.
type wait struct {
	*tee
	push  *push
	until time.Time
	start int64
}

// change waits for a change, with the lock released, and reports whether the others were late.
func (w *wait) change(ctx context.Context) (late bool, err error) {
	if w.tee.start != w.start {
		w.start, w.until = w.tee.start, time.Now().Add(w.patience)
	}
	changed := w.changed
	w.mu.Unlock()
	defer w.mu.Lock()
	defer w.push.waiting()()
	timer := time.NewTimer(time.Until(w.until))
	defer timer.Stop()
	select {
	case <-changed:
		return false, nil
	case <-timer.C:
		w.until = time.Now().Add(w.patience)
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
