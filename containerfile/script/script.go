// Package script reads the lines of RUN as a shell reads them, and runs nothing.
//
// [Shell] knows of the POSIX shell what has one meaning for dash, bash and busybox: simple commands
// in a row (&&, ; and new lines), quotes, variables, patterns, and output into a file. A command
// substitution is known where the caller has given its value. [Cmd] knows as much of cmd.exe.
// Everything else is refused, all of it at once. Conditions and loops are decided while the script
// is read; what they ask of files, [Files] answers.
package script

import (
	"errors"
	"fmt"
	"strings"
)

// Command is one command with its arguments. The first is its name.
type Command struct {
	Args []Word
	// Env are the variables that the shell passes to the command besides its own environment:
	// NAME=value, the last of a name counts.
	Env []string
	// Input is the command whose output is piped into this one, nil for none.
	Input *Command
	// Output is the file that the standard output goes to, nil for none. /dev/null and NUL count
	// as none.
	Output *Output
	// Group is 1 for the begin of a subshell, whose working directory ends with it, and -1 for its
	// end. Such a command does nothing else.
	Group int

	nowhere bool // the standard output is dropped
	here    bool // the input is a document behind <<
}

// Texts returns the words of the command without their patterns.
func (c Command) Texts() []string {
	words := make([]string, 0, len(c.Args))
	for _, w := range c.Args {
		words = append(words, w.Text)
	}
	return words
}

// String returns the words of the command.
func (c Command) String() string { return strings.Join(c.Texts(), " ") }

// Output is a redirection into a file.
type Output struct {
	File   Word
	Append bool
}

// Word is an argument after all expansions but that of patterns.
type Word struct {
	Text string
	// Pattern is the word as package path matches it, empty for a word without wildcards. Where
	// it matches nothing, the word is Text.
	Pattern string
}

// Environment returns the value of a variable and whether it is set, or why that is unknown. The
// name $(command) means the output of a command.
type Environment func(name string) (value string, set bool, err error)

// Error is one thing that is refused.
type Error struct {
	At  string // the part of the source that it is about
	Err error
}

// Error returns the reason.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the reason as an error.
func (e *Error) Unwrap() error { return e.Err }

type refusals struct{ found []error }

func (r *refusals) add(at, format string, args ...any) {
	r.found = append(r.found, &Error{at, fmt.Errorf(format, args...)})
}

func (r *refusals) err() error { return errors.Join(r.found...) }

// Words makes a command of arguments that no shell reads: the exec form of RUN.
func Words(args []string) Command {
	var c Command
	for _, a := range args {
		c.Args = append(c.Args, Word{Text: a})
	}
	return c
}
