package product

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/internal/output"
)

// mistake is one thing wrong in an input: "file:line:column: what is wrong: what to do". One that
// is in no file has no position.
type mistake struct {
	pos  Pos
	text string
}

func (m mistake) Error() string {
	if m.pos.File == "" {
		return m.text
	}
	return m.pos.String() + ": " + m.text
}

// mistakes collects what is wrong, so that all of it is reported in one go.
type mistakes []mistake

// Bounds on what is said of a broken file: nobody reads more.
const (
	maxMistakes = 1000
	maxMistake  = 2000 // bytes
)

func (m *mistakes) at(pos Pos, format string, args ...any) {
	if len(*m) < maxMistakes { // YAML's quotes can hold anything
		*m = append(*m, mistake{pos, output.Excerpt(fmt.Sprintf(format, args...), maxMistake)})
	}
}

// err joins the mistakes in the order of sorted.
//
// sorted returns them: first those that are in no file, then each file's by position, files in
// the order they were read. One said twice of one place is said once.
func (m *mistakes) err() error { return errors.Join(m.sorted()...) }

func (m *mistakes) sorted() []error {
	var files []string
	for _, e := range *m {
		if !slices.Contains(files, e.pos.File) {
			files = append(files, e.pos.File)
		}
	}
	slices.SortStableFunc(*m, func(a, b mistake) int {
		return cmp.Or(
			cmp.Compare(min(1, len(a.pos.File)), min(1, len(b.pos.File))),
			cmp.Compare(slices.Index(files, a.pos.File), slices.Index(files, b.pos.File)),
			cmp.Compare(a.pos.Line, b.pos.Line),
			cmp.Compare(a.pos.Column, b.pos.Column),
		)
	})
	errs := make([]error, 0, len(*m))
	for _, e := range slices.Compact(*m) {
		errs = append(errs, e)
	}
	return errs
}
