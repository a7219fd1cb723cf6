package yamlfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/output"
)

// Pos is a position in a file; lines and columns start at 1, and columns count characters. Column
// is 0 where only the line is known.
type Pos struct {
	File         string
	Line, Column int
}

// String returns file:line:column.
func (p Pos) String() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error is one thing wrong in an input.
type Error struct {
	Pos  Pos    // without a File for an error in no file
	Text string // the problem and the remedy

	usage bool  // of the command line, not of a file
	cause error // what [Errors.At] wrapped; nil for nothing
}

// Unwrap returns the error that the text is about.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether the error is a mistake in the command line.
func (e *Error) Is(target error) bool { return e.usage && target == howto.ErrUsage }

// Error returns "file:line:column: problem: remedy".
func (e *Error) Error() string {
	if e.Pos.File == "" {
		return e.Text
	}
	return e.Pos.String() + ": " + e.Text
}

// Errors collects everything that is wrong with some files.
type Errors []*Error

// Bounds on the report about a broken file: more is not read.
const (
	maxErrors = 1000
	maxText   = 2000 // bytes of an error
)

// At adds an error. A verb %w wraps, as that of [fmt.Errorf] does.
func (e *Errors) At(pos Pos, format string, args ...any) {
	if len(*e) < maxErrors {
		err := fmt.Errorf(format, args...)
		one := newError(pos, err.Error())
		one.cause = errors.Unwrap(err)
		*e = append(*e, one)
	}
}

// Usage adds an error about the command line, or about a variable that replaces a flag.
func (e *Errors) Usage(format string, args ...any) {
	e.At(Pos{}, format, args...)
	(*e)[len(*e)-1].usage = true
}

// newError bounds the text and escapes what a terminal would not show: YAML's quotes hold
// anything.
func newError(pos Pos, text string) *Error {
	return &Error{Pos: pos, Text: output.Excerpt(text, maxText)}
}

// Err returns the errors joined in the order of [Errors.Sorted], nil if there are none.
func (e Errors) Err() error {
	var all []error
	for _, one := range e.Sorted() {
		all = append(all, one)
	}
	return errors.Join(all...)
}

// Sorted returns the errors that are in no file, then those of each file by position; files keep
// the order in which they were first reported. Equal errors are listed once.
func (e Errors) Sorted() Errors {
	files := map[string]int{"": -1}
	for _, one := range e {
		if _, ok := files[one.Pos.File]; !ok {
			files[one.Pos.File] = len(files)
		}
	}
	sorted := slices.Clone(e)
	slices.SortStableFunc(sorted, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(files[a.Pos.File], files[b.Pos.File]),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
		)
	})
	return slices.CompactFunc(sorted, func(a, b *Error) bool { return a.Pos == b.Pos && a.Text == b.Text })
}
