package dockerfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/internal/output"
)

// report collects the errors in one file.
type report struct {
	file   string
	source []byte
	found  []mistake
}

type mistake struct {
	line, column int
	err          error
}

func (m mistake) less(o mistake) int {
	return cmp.Or(cmp.Compare(m.line, o.line), cmp.Compare(m.column, o.column), cmp.Compare(m.err.Error(), o.err.Error()))
}

// located is an error about one word of an instruction.
type located struct {
	word string
	err  error
}

// errorAt returns an error about a word.
func errorAt(word, format string, args ...any) error {
	return located{word, fmt.Errorf(format, args...)}
}

// Error returns what is wrong.
func (l located) Error() string { return l.err.Error() }

// Unwrap returns the error itself.
func (l located) Unwrap() error { return l.err }

// add adds an error in an instruction. Its column is that of word, or of the instruction.
// Joined errors are noted one by one.
func (r *report) add(at []parser.Range, word string, err error) {
	for _, e := range output.Split(err) {
		about := located{word: word}
		errors.As(e, &about)
		line, column := r.position(at, about.word)
		r.found = append(r.found, mistake{line, column, e})
	}
}

func (r *report) position(at []parser.Range, word string) (line, column int) {
	if len(at) == 0 {
		return 1, 1
	}
	lines := bytes.Split(r.source, []byte("\n"))
	start := max(at[0].Start.Line, 1)
	if word != "" {
		for i := start; i <= max(at[len(at)-1].End.Line, start) && i <= len(lines); i++ {
			if c := bytes.Index(lines[i-1], []byte(word)); c >= 0 {
				return i, c + 1
			}
		}
	}
	if start > len(lines) {
		return start, 1
	}
	text := lines[start-1]
	return start, len(text) - len(bytes.TrimLeft(text, " \t")) + 1
}

// err joins the errors in the order of the file; nil if there are none.
func (r *report) err() error { return errors.Join(r.sorted()...) }

func (r *report) sorted() []error {
	slices.SortStableFunc(r.found, mistake.less)
	var errs []error
	for i, m := range r.found {
		if i > 0 && m.less(r.found[i-1]) == 0 {
			continue
		}
		errs = append(errs, fmt.Errorf("%s:%d:%d: %w", r.file, m.line, m.column, m.err))
	}
	return errs
}

// lines returns what was found, each as a line.
func lines(r *report) []string {
	var all []string
	for _, e := range r.sorted() {
		all = append(all, e.Error())
	}
	return all
}

// line returns the line that an instruction begins in.
func line(at []parser.Range) int {
	if len(at) == 0 {
		return 0
	}
	return at[0].Start.Line
}
