package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/progress"
)

// patience is how much longer than Options.Idle a server may take to answer to the last byte of an
// upload: the kernel may still be sending it, and some registries hash or copy a blob before they
// answer.
const patience = 5

// small is the size in bytes of a body that takes no time to store: most manifests, and the forms
// of token services.
const small = 1 << 20

// floor is the least number of bytes per second that a transfer must move while it waits for the
// network. The value is far below the slowest link in use, and above the traffic that keeps an
// idle connection open.
const floor = 256

// watchful ends requests that stall. Requests are watched, not connections, since one connection
// of HTTP/2 has many. The time that the local end of a body takes does not count: a slow disk is
// not a slow server.
type watchful struct {
	inner http.RoundTripper
	o     Options
	lanes *lanes
}

// RoundTrip allows Options.Idle for everything up to the header of the answer, and for every piece
// of a body; less if the host has let others wait before.
func (w watchful) RoundTrip(q *http.Request) (*http.Response, error) {
	outer, l := q.Context(), w.lanes.of(q)
	if err := l.begin(time.Now()); err != nil {
		if q.Body != nil {
			q.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(outer)
	g := &guard{cancel: cancel, lane: l, idle: w.o.Idle, progress: w.o.Progress}
	q = q.WithContext(ctx)
	if q.Body != nil && q.Body != http.NoBody {
		q.Body = &outgoing{ReadCloser: q.Body, g: g}
		if again := q.GetBody; again != nil {
			q.GetBody = func() (io.ReadCloser, error) {
				b, err := again()
				if err != nil {
					return nil, err
				}
				return &outgoing{ReadCloser: b, g: g}, nil
			}
		}
	}
	if (q.Body == nil || q.Body == http.NoBody) && uploads(q.Method, q.URL.Path) {
		g.expect(patience * w.o.Idle) // it closes an upload of any size
	} else {
		g.expect(w.o.Idle)
	}
	a, err := w.inner.RoundTrip(q)
	if err != nil {
		err = g.failed(outer, ctx, err)
		g.end()
		return nil, err
	}
	in := &incoming{
		ReadCloser: a.Body, g: g, outer: outer, ctx: ctx, vain: busy(a.StatusCode),
		stop: w.timed(q, a, cancel),
	}
	switch {
	case in.vain:
		l.vain(g.quiet(), time.Now())
	case q.Method == http.MethodHead || a.ContentLength == 0:
		l.completed()
	}
	g.moved(0)
	a.Body = in
	return a, nil
}

// stalled is the error of a request that stalled, which counts as a dropped connection.
type stalled struct {
	host string
	slow bool // it moved something, but too little
	idle time.Duration
}

func (s *stalled) Error() string {
	if s.slow {
		return fmt.Sprintf("%s has moved fewer than %d bytes a second for %v", s.host, floor, rounded(s.idle))
	}
	return fmt.Sprintf("%s has not moved a byte for %v", s.host, rounded(s.idle))
}

func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d
	}
	return d.Round(time.Second)
}

// guard cancels a request that stalls.
type guard struct {
	cancel   context.CancelCauseFunc
	lane     *lane
	idle     time.Duration
	progress *progress.Printer

	mu    sync.Mutex
	timer *time.Timer
	since time.Time     // when the current wait began; zero if there is none
	spent time.Duration // the time of past waits, up to idle
	bytes int64         // moved in them
	wait  int           // counts the waits
	ended bool
}

// expect begins a wait for the network, which must end within d, and sooner if the host has let
// others wait: except for the answer to an upload.
func (g *guard) expect(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return
	}
	g.since = time.Now()
	if d <= g.idle {
		d = min(d, g.lane.left(g.since))
	}
	if g.timer != nil {
		g.timer.Stop()
	}
	g.wait++
	wait, soon := g.wait, min(d, g.idle/4)
	g.timer = time.AfterFunc(soon, func() { g.late(wait, soon, d) })
}

// late reports to the user what a wait is for, of which the time passed is over, and cancels the
// request once all of it is.
func (g *guard) late(wait int, passed, all time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.ended || g.wait != wait || g.since.IsZero(): // it is not this wait any more
	case passed == all:
		g.cancel(&stalled{host: g.lane.host, idle: all})
	default:
		if g.lane.tell() {
			g.progress.Printf("%s has not moved a byte for %v (%s): waiting, up to %v in all", g.lane.host,
				passed, g.lane.kind, max(all, g.lane.limit))
		}
		g.timer = time.AfterFunc(all-passed, func() { g.late(wait, all, all) })
	}
}

// quiet returns when the host began to move nothing, or too little.
func (g *guard) quiet() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := g.since
	if from.IsZero() {
		from = time.Now()
	}
	if float64(g.bytes) < floor*g.spent.Seconds() {
		from = from.Add(-g.spent)
	}
	return from
}

// failed ends a wait by an error, and returns the reason for it.
func (g *guard) failed(outer, ctx context.Context, err error) error {
	if outer.Err() != nil {
		g.moved(0)
		return err
	}
	g.lane.vain(g.quiet(), time.Now())
	g.moved(0)
	return g.lane.gone(g.why(ctx, err))
}

// moved ends a wait in which n bytes were moved, and returns false if they were too few.
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
		g.cancel(&stalled{host: g.lane.host, idle: g.idle, slow: true})
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
	var t *tardy
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &s):
		return s
	case errors.As(cause, &t):
		return t
	}
	return err
}

// outgoing is a body that is sent to the server. A piece counts as sent when the next one is
// read.
type outgoing struct {
	io.ReadCloser

	g         *guard
	last, all int64
}

func (o *outgoing) Read(p []byte) (int, error) {
	o.g.moved(o.last)
	n, err := o.ReadCloser.Read(p)
	o.last = int64(n)
	if o.all += o.last; err != nil && o.all > small {
		o.g.expect(patience * o.g.idle)
	} else {
		o.g.expect(o.g.idle)
	}
	return n, err
}

// incoming is a body that comes from the server.
type incoming struct {
	io.ReadCloser

	g          *guard
	outer, ctx context.Context //nolint:containedctx // they are the state of one request
	vain       bool            // it does not complete the request
	stop       func()          // ends what bounds the time of a document
}

func (i *incoming) Read(p []byte) (int, error) {
	i.g.expect(i.g.idle)
	n, err := i.ReadCloser.Read(p)
	from := i.g.quiet()
	switch enough := i.g.moved(int64(n)); {
	case errors.Is(err, io.EOF):
		return n, err
	case err == nil && enough:
		if !i.vain {
			i.g.lane.moved(n)
		}
		return n, nil
	}
	i.vain = true
	if i.outer.Err() != nil {
		return n, err
	}
	i.g.lane.vain(from, time.Now())
	return n, i.g.lane.gone(i.g.why(i.ctx, err))
}

// Close ends the request, which is complete unless reading it failed.
func (i *incoming) Close() error {
	defer i.g.end()
	i.stop()
	if !i.vain {
		i.g.lane.completed()
	}
	return i.ReadCloser.Close()
}
