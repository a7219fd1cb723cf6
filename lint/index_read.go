package lint

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
)

// Gap is a fact about an image that is not known, other than its entries: its tags, its evidence.
type Gap struct {
	What string // the tags of the repository
	// Read is [outcome.Unread] for a failed read, and [outcome.Unasked] if nothing was read.
	Read  outcome.Outcome
	Cause error
}

// Unknown is a fact that a report could not establish. No rule is about it, so that nothing
// allows it.
type Unknown struct {
	Image  string `json:"image"`
	Object string `json:"object,omitempty"` // the platform of an entry
	Path   string `json:"path,omitempty"`   // manifests[1]
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	What   string `json:"what"` // the fact that is not known, and why

	cause error
}

// String returns a line: place, image, entry, the unknown fact and why.
func (u Unknown) String() string { return u.finding().place() + u.What }

func (u Unknown) finding() Finding {
	return Finding{
		Image: u.Image, Object: u.Object, Path: u.Path, File: u.File, Line: u.Line, Column: u.Column,
	}
}

// ErrUnread wraps the cause of something that could not be read.
var ErrUnread = errors.New("could not be read")

// Incomplete returns an error with a line for each of [Report.Unread], or nil. Each wraps its cause
// and [ErrUnread].
func (r *Report) Incomplete() error {
	var errs []error
	for _, u := range r.Unread {
		errs = append(errs, fmt.Errorf("%s%w: %w", u.finding().place(), ErrUnread, u.cause))
	}
	return errors.Join(errs...)
}

// unread notes that a document of an entry could not be read.
func (j *judging) unread(n int, cause error) {
	if j.index.chosen(n) {
		j.unknown(n, Gap{"", outcome.Unread, cause})
	}
}

// gaps notes the unknown facts about the image.
func (j *judging) gaps() {
	for _, g := range j.index.Gaps {
		j.unknown(-1, g)
	}
}

// unknown adds something that is not known, of an entry unless n is negative.
func (j *judging) unknown(n int, g Gap) {
	f := j.place(n)
	u := Unknown{
		Image: f.Image, Object: f.Object, Path: f.Path, File: f.File, Line: f.Line, Column: f.Column, cause: g.Cause,
	}
	about := ErrUnread.Error()
	if g.Read == outcome.Unasked {
		about = "not looked at"
	}
	u.What = output.Line(strings.TrimPrefix(fmt.Sprintf("%s: %s: %v", g.What, about, g.Cause), ": "))
	if g.Read == outcome.Unasked {
		j.skipped = append(j.skipped, u)
	} else {
		j.missed = append(j.missed, u)
	}
}
