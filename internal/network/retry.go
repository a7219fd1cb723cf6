package network

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// maxWait bounds the time between two attempts, also where a registry asks for more by Retry-After.
const maxWait = 2 * time.Minute

// settling is how often [Client.Settle] asks.
const settling = 3

// retrying is a RoundTripper that makes a request again when the registry is busy (429), broken
// (5xx) or drops the connection. Bytes of a blob are an exception: an upload that broke off is
// begun anew by [Client.Retry], since what has arrived is not known. Where a registry says
// Retry-After, all requests to it wait.
type retrying struct {
	inner http.RoundTripper
	o     Options

	mu   sync.Mutex
	hold map[string]time.Time // host → when it may be asked again
}

func newRetrying(inner http.RoundTripper, o Options) *retrying {
	return &retrying{inner: inner, o: o, hold: map[string]time.Time{}}
}

func (r *retrying) RoundTrip(q *http.Request) (*http.Response, error) {
	upload := uploads(q.Method, q.URL.Path)
	for attempt := 1; ; attempt++ {
		if err := pause(q.Context(), time.Until(r.until(q.URL.Host))); err != nil {
			return nil, err
		}
		a, err := r.inner.RoundTrip(q)
		if err == nil && busy(a.StatusCode) {
			r.holdBack(q.URL.Host, a.Header.Get("Retry-After"))
		}
		again := err != nil && dropped(err) || err == nil && busy(a.StatusCode)
		if !again || upload || attempt >= r.o.attempts(err) || q.Body != nil && q.Body != http.NoBody && q.GetBody == nil {
			return a, err
		}
		if a != nil {
			// only to use the connection again
			io.Copy(io.Discard, io.LimitReader(a.Body, 64<<10)) //nolint:errcheck
			a.Body.Close()
		}
		r.o.say(err, attempt)
		if err := pause(q.Context(), r.o.backoff(attempt)); err != nil {
			return nil, err
		}
		if q.GetBody != nil {
			q = q.Clone(q.Context())
			if q.Body, err = q.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

func (r *retrying) until(host string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hold[host]
}

// holdBack notes a Retry-After, which is a number of seconds or a date.
func (r *retrying) holdBack(host, after string) {
	var t time.Time
	if s, err := strconv.Atoi(after); err == nil {
		t = time.Now().Add(time.Duration(s) * time.Second)
	} else if t, err = http.ParseTime(after); err != nil {
		return
	}
	if latest := time.Now().Add(maxWait); t.After(latest) {
		t = latest
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.After(r.hold[host]) {
		r.hold[host] = t
	}
}

// uploads reports whether a request carries bytes of a blob, or closes their session, wherever a
// registry wants them sent.
func uploads(method, path string) bool {
	return method == http.MethodPatch || method == http.MethodPut && !strings.Contains(path, "/manifests/")
}

// Retry does work that consists of several requests again from its start, where making a single one
// again could not help: an upload failed, or a body broke off.
func (c *Client) Retry(ctx context.Context, work func() error) error { return c.o.retry(ctx, work) }

// retry is [Client.Retry].
func (o Options) retry(ctx context.Context, work func() error) error {
	for attempt := 1; ; attempt++ {
		err := work()
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !broken(err) || attempt >= o.Attempts {
			return err
		}
		o.say(err, attempt)
		if err := pause(ctx, o.backoff(attempt)); err != nil {
			return err
		}
	}
}

// Settle asks until the answer is the one that is wanted, which done says, or for the third time:
// what a server has just been told may not have reached all of its parts yet.
func (c *Client) Settle(ctx context.Context, ask func() (done bool, err error)) error {
	for attempt := 1; ; attempt++ {
		done, err := ask()
		if done || attempt == settling {
			return err
		}
		if err := pause(ctx, c.o.backoff(attempt)); err != nil {
			return err
		}
	}
}

// broken reports whether work ended by something that has not been tried again yet and may go
// well the next time.
func broken(err error) bool {
	if errors.As(err, &Unreadable{}) {
		return false
	}
	var answer *transport.Error
	if errors.As(err, &answer) {
		return busy(answer.StatusCode) && answer.Request != nil && uploads(answer.Request.Method, answer.Request.URL.Path)
	}
	var request *url.Error
	if errors.As(err, &request) {
		return dropped(err) && uploads(strings.ToUpper(request.Op), request.URL)
	}
	return dropped(err)
}

// knocks is how often a host is asked that nobody answers at: it may be starting again, but more
// often its name or port is wrong, and nobody should wait long to hear that.
const knocks = 3

// attempts is how often a request is made in all that ended by err, which may be nil.
func (o Options) attempts(err error) int {
	if refused(err) {
		return min(o.Attempts, knocks)
	}
	return o.Attempts
}

// refused reports whether there was nobody to make a connection with.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

// say tells the user that a server has gone quiet: it takes long to notice, and longer to give up.
func (o Options) say(err error, attempt int) {
	var quiet *stalled
	if errors.As(err, &quiet) {
		o.Progress.Printf("%v: trying again (%d of %d)", quiet, attempt+1, o.Attempts)
	}
}

// backoff is how long to wait after an attempt: twice as long as before, and up to half of that
// more, so that clients which were turned away together do not come back together.
func (o Options) backoff(attempt int) time.Duration {
	d := min(o.Wait<<(attempt-1), maxWait)
	return d + rand.N(d/2+1)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500 && status != http.StatusNotImplemented
}

// dropped reports whether a connection broke off, or took too long, where the next one may fare
// better. A body that is being written while the connection breaks off may be told that it is
// closed, by net/http itself.
func dropped(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	var quiet *stalled
	var header textproto.ProtocolError // what is left of an answer that broke off within its header
	var timeout net.Error
	return refused(err) || errors.As(err, &quiet) || errors.As(err, &header) || errors.As(err, &timeout) && timeout.Timeout()
}
