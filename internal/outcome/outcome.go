// Package outcome distinguishes what reading can lead to. A registry, a disk or an archive that
// fails says nothing about the image that was asked for: an image without an entry, and an entry
// that nobody could read, are two things.
//
// [Of] returns the outcome that an error means. Everything that is not known to be an answer is
// [Unread], so that a new kind of failure never passes for a property of an image.
package outcome

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
)

// Outcome is what reading a document, a layer, or a list of tags or referrers led to. The linter
// exhaustive demands that a switch over it names all of them.
type Outcome uint8

const (
	// Unasked means that nobody has tried to read it. Nothing is known.
	Unasked Outcome = iota
	// There means that it was read.
	There
	// Absent means that the source answered that it does not have it: status 404, the end of an
	// archive, no such file.
	Absent
	// Broken means that it was read, and is not what its digest, its size or its format demands.
	Broken
	// Unread means that the source failed: a refused connection, status 403 or 503, an error of the
	// disk. Nothing is known.
	Unread
)

// ErrAbsent is the error of a source for what it does not have.
var ErrAbsent = errors.New("not included")

// Of returns the outcome that the error of reading means; nil means [There]. Of joined errors, one
// that [Failed] decides.
func Of(err error) Outcome {
	status, _ := statusOf(err)
	switch {
	case err == nil:
		return There
	case Failed(err): // above all where it wraps an answer, as a token server's 404
		return Unread
	case errors.As(err, new(damage)):
		return Broken
	case errors.Is(err, ErrAbsent), errors.Is(err, fs.ErrNotExist), status == http.StatusNotFound:
		return Absent
	}
	return Unread
}

// Status returns the status of HTTP that an error of another module means. Package network sets it
// to that of its registry client, which this package does not import: most of what uses outcomes
// asks no registry.
var Status = func(error) (status int, ok bool) { return 0, false }

// statusOf returns the status of HTTP that an error means.
func statusOf(err error) (int, bool) {
	var answered interface{ Status() int }
	if errors.As(err, &answered) {
		return answered.Status(), true
	}
	return Status(err)
}

// Damage marks an error as one about the bytes read: [Of] returns [Broken] for it. The text
// stays.
func Damage(err error) error {
	if err == nil {
		return nil
	}
	return damage{err}
}

type damage struct{ error }

func (d damage) Unwrap() error { return d.error }

// Failed reports whether err, or an error that it wraps or joins, is the failure of a server or
// of the way to it: a connection that breaks or is refused, a login that is refused (401, 403), a
// limit (408, 429) or an error of the server (5xx), and an error with a method Outage. An answer
// that refuses the sent content does not count, nor does an error with a method Local: the fault
// is in the configuration of this machine.
func Failed(err error) bool {
	return !errors.Is(err, context.Canceled) && !errors.As(err, new(interface{ Local() })) && failed(err)
}

func failed(err error) bool {
	if status, ok := statusOf(err); ok && failing(status) {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // every error of the tree, one by one
	case *url.Error, interface{ Outage() }:
		return true
	case interface{ Unwrap() error }:
		return failed(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), failed)
	}
	return false
}

func failing(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
		http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}
