package output

import "errors"

// Split returns the errors that err joins, each for a line of its own. An error whose text has
// more than those that it wraps is not split.
func Split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok || err.Error() != errors.Join(joined.Unwrap()...).Error():
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Split(e)...)
	}
	return all
}
