package network

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
)

func init() {
	outcome.Status = func(err error) (int, bool) {
		var e *transport.Error
		if !errors.As(err, &e) {
			return 0, false
		}
		if e.StatusCode == http.StatusNotFound && !absent(e) || e.StatusCode != http.StatusNotFound && asks(e.Request) {
			return http.StatusServiceUnavailable, true
		}
		return e.StatusCode, true
	}
}

// asks reports whether a request sends nothing that its answer could refuse.
func asks(q *http.Request) bool {
	return q != nil && (q.Method == http.MethodGet || q.Method == http.MethodHead)
}

// nothing are codes of errors that do not describe the requested object, whatever the status
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes).
var nothing = []transport.ErrorCode{
	transport.UnauthorizedErrorCode, transport.DeniedErrorCode, transport.TooManyRequestsErrorCode,
	transport.UnavailableErrorCode,
}

// absent reports whether a status 404 is the answer of a registry that it does not have something:
// one with its errors in JSON, where an answer has a body. That of a store of blobs to which it has
// redirected is none; registry.k8s.io redirects to another registry.
func absent(e *transport.Error) bool {
	q := e.Request
	switch {
	case q != nil && q.Response != nil && !strings.HasPrefix(q.URL.Path, "/v2/"):
		return false
	case q != nil && q.Method == http.MethodGet && len(e.Errors) == 0 && !strings.HasSuffix(q.URL.Path, "/tags/list"):
		return false // of tags, a registry that lists none may say so
	}
	return !slices.ContainsFunc(e.Errors, func(d transport.Diagnostic) bool { return slices.Contains(nothing, d.Code) })
}

// Unknown reports whether a registry has answered that it knows no such repository, in the way of
// the distribution API. A proxy that does not know the request answers with another 404.
func Unknown(err error) bool {
	var e *transport.Error
	return errors.As(err, &e) && slices.ContainsFunc(e.Errors, func(d transport.Diagnostic) bool {
		return d.Code == transport.NameUnknownErrorCode
	})
}

// Unreadable is an error of this machine's disk, not of the registry: a retry does not help.
type Unreadable struct{ Err error }

func (u Unreadable) Error() string { return u.Err.Error() }
func (u Unreadable) Unwrap() error { return u.Err }

// maxRepeated bounds in bytes how much of an answer errors quote: a proxy may send a page of
// HTML.
const maxRepeated = 640

// Clean removes the query from URLs in an error, since upload locations and redirects contain
// signatures, and shortens a registry's answer to one line. If a registry denies something, fails
// or stalls, it adds a remedy, once.
func Clean(err error) error {
	if err == nil || errors.As(err, &cleaned{}) {
		return err
	}
	var e *url.Error
	if errors.As(err, &e) {
		if u, parseErr := url.Parse(e.URL); parseErr == nil {
			if unconnected(e.Err) {
				return cleaned{&Unreached{u.Host, e.Err}}
			}
			err = reworded{err, strings.ReplaceAll(err.Error(), e.URL, redactURL(u))}
		}
	}
	var quiet *stalled
	var t *transport.Error
	if errors.As(err, &t) {
		if all := t.Error(); output.Excerpt(all, maxRepeated) != all {
			err = reworded{err, strings.ReplaceAll(err.Error(), all, output.Excerpt(all, maxRepeated))}
		}
	}
	switch {
	case errors.As(err, &quiet) || errors.As(err, new(*gone)) || errors.As(err, new(cut)) ||
		t != nil && busy(t.StatusCode):
		err = fmt.Errorf("%w: run again once it answers", err)
	case Unlisted(err): // who sends it knows what to do
	case t != nil && (t.StatusCode == http.StatusUnauthorized || t.StatusCode == http.StatusForbidden):
		host := "the registry"
		if t.Request != nil {
			host = t.Request.URL.Host
		}
		err = fmt.Errorf("%w: log in to %s, by docker login or a credential helper, with an account that may do this",
			err, host)
	}
	return cleaned{err}
}

// Unreached is the error of a host to which no connection can be made.
type Unreached struct {
	Host string
	Err  error
}

func (u *Unreached) Error() string { return u.Host + " cannot be reached: " + u.Err.Error() }
func (u *Unreached) Unwrap() error { return u.Err }

// Outage marks an error as one of a server ([outcome.Failed]).
func (*Unreached) Outage() {}

// Cause returns the host that cannot be reached, or the fault in the configuration of this machine,
// if that alone is the cause of an error, and else the error. Each image and blob meets it, and
// which of them is the first is chance. An error that begins with the place of a name in a file
// stays, since the name may be wrong.
func Cause(err error) error {
	if setting := (settingError{}); errors.As(err, &setting) {
		return setting
	}
	for e := err; e != nil && !placed.MatchString(err.Error()); e = errors.Unwrap(e) {
		if u, ok := e.(*Unreached); ok { //nolint:errorlint // not one of several that are joined
			return u
		}
	}
	return err
}

// placed matches what begins with FILE:LINE:COLUMN.
var placed = lazyregexp.New(`^\S+:\d+:\d+: `)

// unconnected reports whether a request ended before it was sent: nobody listens, the host has no
// address, or its certificate does not prove that it is the one.
func unconnected(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, new(*tls.CertificateVerificationError))
}

// cleaned is an error that [Clean] has seen.
type cleaned struct{ error }

func (c cleaned) Unwrap() error { return c.error }

// redactURL returns a URL without its secret parts: user and query.
func redactURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// reworded is an error with another text. The error itself stays unchanged, since other
// goroutines may have it.
type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// outage is the error of an answer that does not describe the requested object: bytes with
// another digest, no manifest, or the answer of a token server or of the address /v2/, even a
// 404.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// Outage marks an error as one of a server ([outcome.Failed]).
func (outage) Outage() {}

// otherBytes is the error of an answer that has another digest.
func otherBytes(host string, err error) error {
	return outage{fmt.Errorf("%w: a proxy may have answered in the place of %s, or its storage is damaged", err, host)}
}

// cut is the error of a body that broke off in each attempt.
type cut struct{ error }

func (c cut) Unwrap() error { return c.error }

// Outage marks an error as one of a server ([outcome.Failed]).
func (cut) Outage() {}

// Outage marks an error as one of a server ([outcome.Failed]).
func (*stalled) Outage() {}

// Outage marks an error as one of a server ([outcome.Failed]).
func (*gone) Outage() {}

// Outage marks an error as one of a server ([outcome.Failed]).
func (*tardy) Outage() {}
