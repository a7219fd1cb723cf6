package output

import "errors"

// Once returns a function that reports whether an error is the first with its text; false for
// nil.
func Once() (first func(error) bool) {
	seen := map[string]bool{}
	return func(err error) bool {
		if err == nil || seen[err.Error()] {
			return false
		}
		seen[err.Error()] = true
		return true
	}
}

// JoinOnce joins errors, each text once.
func JoinOnce(errs ...error) error {
	first := Once()
	var all []error
	for _, err := range errs {
		if first(err) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
