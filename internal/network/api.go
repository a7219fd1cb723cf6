package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Request is a request to an API that is not that of a registry, such as GitHub's.
type Request struct {
	Method string
	URL    string
	Header http.Header // of the request; nil adds none to those of the other fields
	// Token is sent as a bearer token, to the host of URL and nowhere else.
	Token string
	// Body opens the body, for each attempt anew; nil sends none. Size is its length in bytes.
	Body func() (io.ReadCloser, error)
	Size int64
	// Once marks a request that makes something, and that is repeated only if the server refused
	// it to limit requests. If its answer is lost, the error is a [Lost]: see [Client.Redo].
	Once bool
	// Use reads the body of a successful answer. Nil keeps the body in [Answer.Body].
	Use func(io.Reader) error
}

// Answer is what a server answers to a [Request], whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // at most 16 MiB
}

// Lost is the error of a request to be made once that may have had its effect, or a part of it.
type Lost struct{ Err error }

func (l Lost) Error() string { return l.Err.Error() }
func (l Lost) Unwrap() error { return l.Err }

// Redo calls work, and calls it again while its error is a [Lost]. Work has to find out first what
// became of the earlier attempts.
func (c *Client) Redo(ctx context.Context, work func() error) error {
	for attempt := 1; ; attempt++ {
		err := work()
		if err == nil || attempt >= c.o.Attempts || !errors.As(err, &Lost{}) {
			return err
		}
		if err := pause(ctx, c.o.backoff(attempt)); err != nil {
			return err
		}
	}
}

// Do makes a request to an API. The request is repeated if the server limits requests, and,
// unless it is to be made once, if the server fails or drops the connection. GET follows
// redirects; any other redirect is the answer.
func (c *Client) Do(ctx context.Context, r Request) (*Answer, error) {
	var asked time.Duration
	for attempt := 1; ; attempt++ {
		a, err := c.ask(ctx, r)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		wait := c.o.backoff(attempt)
		var again bool
		if err == nil {
			limit, ok := c.o.limited(a, attempt, time.Now())
			switch {
			case ok && asked+limit > maxLimit:
				return nil, outage{fmt.Errorf("%s takes no more requests of this account for %v, "+
					"and %v are waited for in all: run again then", hostOf(r.URL), limit.Round(time.Second), maxLimit)}
			case ok:
				asked += limit
				wait, again = max(wait, limit), true
				if attempt < c.o.Attempts {
					c.o.Progress.Printf("%s limits requests: trying again in %v (%d of %d)", hostOf(r.URL),
						wait.Round(time.Second), attempt+1, c.o.Attempts)
				}
			default:
				again = busy(a.Status) && !r.Once
			}
		} else if again = dropped(err) && (!r.Once || refused(err)); again {
			c.o.warn(err, attempt)
		}
		if !again || attempt >= c.o.attempts(err) {
			return a, lost(r, Clean(err))
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// lost marks the error of a request to be made once, if the request may have arrived.
func lost(r Request, err error) error {
	if err != nil && r.Once && dropped(err) && !refused(err) {
		return Lost{err}
	}
	return err
}

// ask makes one attempt.
func (c *Client) ask(ctx context.Context, r Request) (*Answer, error) {
	q, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		q.Header[name] = values
	}
	if r.Token != "" {
		q.Header.Set("Authorization", "Bearer "+r.Token)
	}
	if r.Body != nil {
		body, err := r.Body()
		if err != nil {
			return nil, Unreadable{err}
		}
		q.Body, q.ContentLength = body, r.Size
	}
	a, err := (&http.Client{Transport: c.plain, CheckRedirect: redirect}).Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	got := &Answer{Status: a.StatusCode, Header: a.Header}
	if r.Use != nil && a.StatusCode == http.StatusOK {
		return got, r.Use(a.Body)
	}
	got.Body, err = io.ReadAll(&bounded{a.Body, maxAnswer, q.URL.Host})
	return got, err
}

// redirect decides whether a redirect is followed, and keeps credentials from other hosts, those
// below the first one included.
func redirect(q *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet && first.Method != http.MethodHead:
		return http.ErrUseLastResponse
	case len(via) > maxRedirects:
		return fmt.Errorf("%s redirects more than %d times", first.URL.Host, maxRedirects)
	case q.URL.Host != first.URL.Host || q.URL.Scheme != first.URL.Scheme:
		q.Header.Del("Authorization")
	}
	return nil
}

// Bytes returns the body of a [Request], and its size.
func Bytes(text []byte) (func() (io.ReadCloser, error), int64) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, int64(len(text))
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the server"
	}
	return u.Host
}

// Next returns the address of the next page of a list by the Link header (RFC 8288) of the page
// at, or "" if that is the last one. The next page must be at the same server.
func Next(at, link string) (string, error) {
	for part := range strings.SplitSeq(link, ",") {
		target, parameters, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(part), "<"), ">")
		if !ok || !strings.Contains(parameters, `rel="next"`) && !strings.Contains(parameters, "rel=next") {
			continue
		}
		base, err := url.Parse(at)
		if err != nil {
			return "", err
		}
		u, err := base.Parse(target)
		if err != nil || u.Host != base.Host || u.Scheme != base.Scheme {
			return "", errors.New("the next page of the list is at another place: " +
				"the server is not to be trusted with it")
		}
		return u.String(), nil
	}
	return "", nil
}
