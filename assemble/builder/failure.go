package builder

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
)

// Error is a command of a builder that failed.
type Error struct {
	What   string   // the work: "builder docker: building Dockerfile for linux/amd64"
	Place  string   // FILE:LINE of the Dockerfile, or the builder's own place; "" if unknown
	Reason string   // the failure and the remedy; one line
	Last   []string // the last lines of the builder

	brief bool // a question, whose error has one line
	err   error
}

// Error returns one line, and below it the last lines of the builder.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.What + ": ")
	if e.Place != "" {
		b.WriteString(e.Place + ": ")
	}
	b.WriteString(e.Reason)
	for _, l := range e.Last {
		if e.brief {
			break
		}
		b.WriteString("\n  " + l)
	}
	return b.String()
}

// Unwrap returns how the command ended.
func (e *Error) Unwrap() error { return e.err }

// hint is what to do about a message of a builder.
type hint struct {
	form   *lazyregexp.Regexp
	remedy string
}

// hints are tried in this order, on the last lines from the last one upwards.
var hints = []hint{
	{
		lazyregexp.New(`(?i)exporter is not (?:currently )?supported for the docker driver|docker exporter does not currently support`),
		"make a builder that can, by docker buildx create --use, or turn on the containerd image store of docker",
	},
	{
		lazyregexp.New(`(?i)password is required|a terminal is required|no tty present|askpass|` +
			`permission denied \([a-z,-]*(?:publickey|password)|authentication is required|host key verification failed`),
		"it asks for a password, and has no terminal: let this user reach it without one",
	},
	{
		lazyregexp.New(`(?i)permission denied while trying to connect|connect: permission denied|dial unix .*permission denied`),
		"let this user reach the socket, or run as root",
	},
	{
		lazyregexp.New(`(?i)cannot connect to the docker daemon|is the docker daemon running|` +
			`dial unix .*(?:no such file or directory|connection refused)`),
		"start its daemon, or name another one",
	},
	{
		lazyregexp.New(`(?i)exec format error`),
		"programs of this platform do not run there: install emulation, such as Debian's qemu-user-static " +
			"or docker run --privileged --rm tonistiigi/binfmt --install all",
	},
	{
		lazyregexp.New(`(?i)no space left on device`),
		"make room: docker buildx prune, buildctl prune or podman image prune remove its cache",
	},
}

// maxReason bounds what a builder gives as the reason, in bytes: podman prints structures of its own.
const maxReason = 400

// explain makes an error of how a command ended and of its last lines. One of a question has one
// line.
func explain(what, place string, err error, last []string, question bool) error {
	e := &Error{What: what, Place: place, Last: last, brief: question, err: err}
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		e.Reason = err.Error()
	case killedBy(exit) != "":
		e.Reason = fmt.Sprintf("it was ended by a signal (%s): run again; if that is repeated, look whether "+
			"memory is short", killedBy(exit))
	default:
		e.Reason = output.Excerpt(message(last), maxReason)
		if e.Reason == "" {
			e.Reason = fmt.Sprintf("it ended with %d and printed nothing", exit.ExitCode())
		}
	}
	if remedy := remedyFor(last); remedy != "" {
		e.Reason += ": " + remedy
	}
	return e
}

// errorForm is how the builders begin the line with the reason.
var errorForm = lazyregexp.New(`^(?:ERROR|[eE]rror):? (?:failed\sto\sbuild: )?(?:failed\sto\ssolve: )?`)

// message returns the reason among the last lines: the last that begins as an error, or the last.
func message(last []string) string {
	for _, l := range slices.Backward(last) {
		if m := errorForm.FindString(l); m != "" {
			return strings.TrimPrefix(l, m)
		}
	}
	if len(last) == 0 {
		return ""
	}
	return strings.TrimSpace(last[len(last)-1])
}

// remedyFor returns the remedy for the error that the last lines report, or "".
func remedyFor(last []string) string {
	for _, l := range slices.Backward(last) {
		for _, h := range hints {
			if h.form.MatchString(l) {
				return h.remedy
			}
		}
	}
	return ""
}
