// Package mistake collects the errors in one file, each with its line and column.
package mistake

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/internal/output"
)

// List collects the errors in one file.
type List struct {
	File   string
	Source []byte
	found  []mistake
}

type mistake struct {
	line, column int
	err          error
}

func (m mistake) less(o mistake) int {
	return cmp.Or(cmp.Compare(m.line, o.line), cmp.Compare(m.column, o.column),
		cmp.Compare(m.err.Error(), o.err.Error()))
}

// Located is an error about one word of an instruction.
type Located struct {
	Word string
	err  error
}

// At returns an error about a word.
func At(word, format string, args ...any) error {
	return Located{word, fmt.Errorf(format, args...)}
}

// Error returns the text of the error.
func (l Located) Error() string { return l.err.Error() }

// Unwrap returns the error itself.
func (l Located) Unwrap() error { return l.err }

// Add adds an error in an instruction. Its column is that of word, or of the instruction.
// Joined errors are noted one by one.
func (r *List) Add(at []parser.Range, word string, err error) {
	for _, e := range output.Split(err) {
		about := Located{Word: word}
		errors.As(e, &about)
		line, column := r.Position(at, about.Word)
		r.found = append(r.found, mistake{line, column, e})
	}
}

// Position returns where a word of an instruction is, or the instruction. Of several words as many
// as stand there in a row count: a command may continue in another line.
func (r *List) Position(at []parser.Range, word string) (line, column int) {
	if len(at) == 0 {
		return 1, 1
	}
	lines := bytes.Split(r.Source, []byte("\n"))
	start := max(at[0].Start.Line, 1)
	for ; word != ""; word = word[:max(0, strings.LastIndexByte(word, ' '))] {
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

// Err joins the errors in the order of the file; nil if there are none.
func (r *List) Err() error { return errors.Join(r.Sorted()...) }

// Sorted returns the errors in the order of the file, each once.
func (r *List) Sorted() []error {
	slices.SortStableFunc(r.found, mistake.less)
	var errs []error
	for i, m := range r.found {
		if i > 0 && m.less(r.found[i-1]) == 0 {
			continue
		}
		errs = append(errs, fmt.Errorf("%s:%d:%d: %w", r.File, m.line, m.column, m.err))
	}
	return errs
}

// Lines returns the errors, each as a line.
func Lines(r *List) []string {
	var all []string
	for _, e := range r.Sorted() {
		all = append(all, e.Error())
	}
	return all
}

// Line returns the line that an instruction begins in.
func Line(at []parser.Range) int {
	if len(at) == 0 {
		return 0
	}
	return at[0].Start.Line
}
