package program

import (
	"cmp"
	"errors"
	"slices"
)

// joinErrors puts errors into an order that does not depend on which batch ended first.
func joinErrors(errs []error) error {
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
