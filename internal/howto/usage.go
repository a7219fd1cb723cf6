package howto

import (
	"errors"
	"fmt"
)

// ErrUsage is the cause of errors that are mistakes in the command line, which has an exit code of
// its own.
var ErrUsage = errors.New("wrong command line")

// Usage returns an error about the command line, formatted as by fmt.Errorf.
func Usage(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

type usage struct{ error }

// Is reports that it is a mistake in the command line.
func (usage) Is(target error) bool { return target == ErrUsage }

// Unwrap returns the error that was formatted.
func (u usage) Unwrap() error { return u.error }
