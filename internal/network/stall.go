package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// patience is how much longer than Options.Idle a server may take to answer after it was sent a
// body: the kernel may still be sending it, and some registries hash or copy a blob before they
// answer.
const patience = 5

// floor is the least number of bytes per second that a transfer must move while it waits for the
// network. It is far below the slowest link in use, and above what keeps an idle connection open.
const floor = 256

// watchful ends requests that stall. It watches requests, not connections, since one connection
// of HTTP/2 has many. The time that the local end of a body takes does not count: a slow disk is
// not a slow server.
type watchful struct {
	inner http.RoundTripper
	idle  time.Duration
}

// RoundTrip allows w.idle each for dialing, the handshake, every piece of a body, and the header.
func (w watchful) RoundTrip(q *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(q.Context())
	g := &guard{cancel: cancel, host: q.URL.Host, idle: w.idle}
	q = q.WithContext(ctx)
	if q.Body != nil && q.Body != http.NoBody {
		q.Body = &outgoing{q.Body, g, 0}
		if again := q.GetBody; again != nil {
			q.GetBody = func() (io.ReadCloser, error) {
				b, err := again()
				if err != nil {
					return nil, err
				}
				return &outgoing{b, g, 0}, nil
			}
		}
	}
	g.expect(w.idle)
	a, err := w.inner.RoundTrip(q)
	g.moved(0)
	if err != nil {
		err = g.why(ctx, err)
		g.end()
		return nil, err
	}
	a.Body = &incoming{a.Body, g, ctx}
	return a, nil
}

// stalled is the error of a request that stalled. It counts as a dropped connection.
type stalled struct {
	host string
	slow bool // it moved something, but too little
	idle time.Duration
}

func (s *stalled) Error() string {
	if s.slow {
		return fmt.Sprintf("%s has moved fewer than %d bytes a second for %v", s.host, floor, s.idle)
	}
	return fmt.Sprintf("%s has not moved a byte for %v", s.host, s.idle)
}

// guard cancels a request that stalls.
type guard struct {
	cancel context.CancelCauseFunc
	host   string
	idle   time.Duration

	mu    sync.Mutex
	timer *time.Timer
	since time.Time     // when the current wait began; zero if there is none
	spent time.Duration // the time of past waits, up to idle
	bytes int64         // moved in them
	ended bool
}

// expect begins a wait for the network, which must end within d.
func (g *guard) expect(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return
	}
	g.since = time.Now()
	if g.timer == nil {
		g.timer = time.AfterFunc(d, func() { g.cancel(&stalled{host: g.host, idle: d}) })
		return
	}
	g.timer.Stop()
	g.timer = time.AfterFunc(d, func() { g.cancel(&stalled{host: g.host, idle: d}) })
}

// moved ends a wait in which n bytes were moved. It is false if they were too few.
func (g *guard) moved(n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
	}
	if g.since.IsZero() {
		return true
	}
	g.spent += time.Since(g.since)
	g.since = time.Time{}
	if g.bytes += n; n == 0 { // the wait was not for a body
		g.spent, g.bytes = 0, 0
		return true
	}
	if g.spent < g.idle {
		return true
	}
	enough := float64(g.bytes) >= floor*g.spent.Seconds()
	g.spent, g.bytes = 0, 0
	if !enough {
		g.cancel(&stalled{host: g.host, idle: g.idle, slow: true})
	}
	return enough
}

// end stops watching the request.
func (g *guard) end() {
	g.mu.Lock()
	if g.ended = true; g.timer != nil {
		g.timer.Stop()
	}
	g.mu.Unlock()
	g.cancel(nil)
}

// why returns the reason for which the guard canceled the request, or else err.
func (g *guard) why(ctx context.Context, err error) error {
	var s *stalled
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return err
}

// outgoing is a body that is sent to the server. A piece counts as sent when the next one is
// read.
type outgoing struct {
	io.ReadCloser
	g    *guard
	last int64
}

func (o *outgoing) Read(p []byte) (int, error) {
	o.g.moved(o.last)
	n, err := o.ReadCloser.Read(p)
	if o.last = int64(n); err != nil {
		o.g.expect(patience * o.g.idle)
	} else {
		o.g.expect(o.g.idle)
	}
	return n, err
}

// incoming is a body that comes from the server.
type incoming struct {
	io.ReadCloser
	g   *guard
	ctx context.Context
}

func (i *incoming) Read(p []byte) (int, error) {
	i.g.expect(i.g.idle)
	n, err := i.ReadCloser.Read(p)
	if !i.g.moved(int64(n)) || err != nil && !errors.Is(err, io.EOF) {
		if why := i.g.why(i.ctx, err); why != nil {
			return n, why
		}
	}
	return n, err
}

func (i *incoming) Close() error {
	defer i.g.end()
	return i.ReadCloser.Close()
}
