package yamlfile

import (
	"errors"
	"slices"
)

// Replacement is a new text for a scalar.
type Replacement struct {
	Pos      Pos    // of the scalar
	Old, New string // Old is its value without the space around it
}

// Replace returns a file with new texts for some scalars, as an [Editor] replaces them. The error
// has a line for each that cannot be replaced.
func Replace(name string, src []byte, list []Replacement) ([]byte, error) {
	e, err := Edit(name, src)
	if err != nil {
		return nil, err
	}
	var errs Errors
	for _, r := range list {
		n := slices.IndexFunc(e.Scalars, func(s Scalar) bool {
			return s.Pos.Line == r.Pos.Line && s.Pos.Column == r.Pos.Column
		})
		if n < 0 {
			errs.At(r.Pos, "%s cannot be replaced in place: write it out here instead of an alias", r.Old)
			continue
		}
		one := (*Error)(nil)
		if err := e.Replace(n, r.Old, r.New); errors.As(err, &one) {
			errs = append(errs, one)
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return e.Bytes()
}
