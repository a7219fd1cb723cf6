package network

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
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

// maxWait bounds the time between two attempts where the server does not ask for one.
const maxWait = 2 * time.Minute

// maxAsked bounds the pauses that a registry asks for by Retry-After until it completes a request.
const maxAsked = 5 * time.Minute

// settling is how often [Client.Settle] asks.
const settling = 3

// retrying is a RoundTripper that retries a request if the registry is busy (429), fails (5xx) or
// drops the connection. Uploads of blobs are not retried: the number of bytes that arrived is
// unknown, so [Client.Retry] begins them again. After a Retry-After, all requests to that
// registry wait.
type retrying struct {
	inner http.RoundTripper
	o     Options
	lanes *lanes

	mu        sync.Mutex
	notBefore map[string]time.Time // by host
	distrust  sync.Map             // hosts whose certificate is not trusted
}

func newRetrying(inner http.RoundTripper, o Options, l *lanes) *retrying {
	return &retrying{inner: inner, o: o, lanes: l, notBefore: map[string]time.Time{}}
}

func (r *retrying) RoundTrip(q *http.Request) (*http.Response, error) {
	upload := uploads(q.Method, q.URL.Path)
	for attempt := 1; ; attempt++ {
		if err := pause(q.Context(), time.Until(r.until(q.URL.Host))); err != nil {
			return nil, err
		}
		a, err := r.inner.RoundTrip(q)
		if err == nil && busy(a.StatusCode) {
			if err := r.holdBack(q, a.Header.Get("Retry-After")); err != nil {
				a.Body.Close()
				return nil, err
			}
		}
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			r.distrust.Store(q.URL.Host, true)
		}
		again := err != nil && dropped(err) && !r.distrusted(q.URL.Host) ||
			err == nil && busy(a.StatusCode) && r.lanes.of(q).gone(nil) == nil
		if !again || upload || attempt >= r.o.attempts(err) || q.Body != nil && q.Body != http.NoBody &&
			q.GetBody == nil {
			return a, err
		}
		if a != nil {
			io.Copy(io.Discard, io.LimitReader(a.Body, 64<<10)) //nolint:errcheck // to reuse the connection
			a.Body.Close()
		}
		r.o.warn(err, attempt)
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

// distrusted reports whether a host has a certificate that is not trusted. Such a host drops the
// plain HTTP that follows HTTPS with loopback addresses, and would do so each time.
func (r *retrying) distrusted(host string) bool {
	_, found := r.distrust.Load(host)
	return found
}

func (r *retrying) until(host string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.notBefore[host]
}

// holdBack notes a Retry-After, and fails if the registry asks for more than [maxAsked].
func (r *retrying) holdBack(q *http.Request, after string) error {
	now := time.Now()
	d, ok := retryAfter(after, now)
	if !ok {
		return nil
	}
	host := q.URL.Host
	r.mu.Lock()
	more := d
	if before := r.notBefore[host]; before.After(now) { // others wait already
		more = max(0, d-before.Sub(now))
	}
	if more > 0 && d <= maxAsked {
		r.notBefore[host] = now.Add(d)
	}
	r.mu.Unlock()
	if !r.lanes.of(q).ask(more) {
		return fmt.Errorf("%s asks to wait %v (Retry-After), and %v are waited for in all: run again then",
			host, d.Round(time.Second), maxAsked)
	}
	if more >= r.o.Idle/4 {
		r.o.Progress.Printf("%s asks to wait %v (Retry-After): waiting, up to %v in all", host, d.Round(time.Second),
			maxAsked)
	}
	return nil
}

// retryAfter reads a Retry-After, which is a number of seconds or a date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	s, err := strconv.ParseInt(text, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(max(0, s), int64(math.MaxInt64/time.Second))) * time.Second, true
	}
	t, err := http.ParseTime(text)
	return max(0, t.Sub(now)), err == nil
}

// uploads reports whether a request sends bytes of a blob, or closes an upload, at whatever
// location the registry chose.
func uploads(method, path string) bool {
	return method == http.MethodPatch || method == http.MethodPut && !strings.Contains(path, "/manifests/")
}

// Retry calls work that consists of several requests, and calls it again if an upload failed or a
// body broke off, where repeating one request does not help.
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
		o.warn(err, attempt)
		if err := pause(ctx, o.backoff(attempt)); err != nil {
			return err
		}
	}
}

// Settle calls ask until it is done, at most three times: all parts of a server may not have seen
// a recent change yet.
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

// broken reports whether work ended by an error that was not retried yet and may not occur again.
func broken(err error) bool {
	if errors.As(err, &Unreadable{}) {
		return false
	}
	var answer *transport.Error
	if errors.As(err, &answer) {
		return busy(answer.StatusCode) && answer.Request != nil &&
			uploads(answer.Request.Method, answer.Request.URL.Path)
	}
	var request *url.Error
	if errors.As(err, &request) {
		return dropped(err) && uploads(strings.ToUpper(request.Op), request.URL)
	}
	return dropped(err)
}

// knocks is how often to try a host that refuses connections: it may be restarting, but more
// often its name or port is wrong, and the user should learn that soon.
const knocks = 3

// attempts is how often a request that ended by err, which may be nil, is made in all.
func (o Options) attempts(err error) int {
	if refused(err) {
		return min(o.Attempts, knocks)
	}
	return o.Attempts
}

// refused reports whether no connection could be made.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) ||
		errors.Is(err, syscall.ENETUNREACH)
}

// warn notifies the user of a stalled server: it takes long to notice, and longer to give up.
func (o Options) warn(err error, attempt int) {
	var quiet *stalled
	if errors.As(err, &quiet) {
		o.Progress.Printf("%v: trying again (%d of %d)", quiet, attempt+1, o.Attempts)
	}
}

// backoff is how long to wait after an attempt: twice as long as before, and up to half of that
// more, so that clients do not all come back at the same time.
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
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout ||
		status >= 500 && status != http.StatusNotImplemented
}

// closedIdle is in the error of net/http for a request on a connection that the server closed at
// the same moment. The error has no type, and net/http repeats only requests that do not write.
const closedIdle = "http: server closed idle connection"

// dropped reports whether a connection broke off or timed out, so that the next one may succeed.
// net/http may close a body that is being written while the connection breaks off.
func dropped(err error) bool {
	if errors.As(err, new(*gone)) {
		return false
	}
	for _, e := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE,
		syscall.ECONNABORTED,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var quiet *stalled
	var header textproto.ProtocolError // the rest of an answer that broke off within its header
	var timeout net.Error
	return refused(err) || errors.As(err, &quiet) || errors.As(err, &header) ||
		err != nil && strings.Contains(err.Error(), closedIdle) || errors.As(err, &timeout) && timeout.Timeout()
}
