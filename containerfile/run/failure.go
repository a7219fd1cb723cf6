package run

import (
	"fmt"

	"github.com/slipway-dev/slipway/containerfile/mistake"
)

// failure ends a command: what carries it out panics with one, and [try] returns its error. So a
// command reads like what it does, as with the panics of text/template.
type failure struct{ err error }

// try calls do and returns the error that it fails with.
func try(do func()) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.err
		default:
			panic(f)
		}
	}()
	do()
	return nil
}

// check fails with an error, if there is one.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns a value, or fails.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func fail(format string, args ...any) { check(fmt.Errorf(format, args...)) }

// failAt fails with an error about one word of the line.
func failAt(word, format string, args ...any) { check(mistake.At(word, format, args...)) }
