package shell

import (
	"errors"
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// Error is something in a script that is not understood, or goes beyond a limit.
type Error struct {
	At   string // script:line:column, or empty
	Text string
}

func (e *Error) Error() string {
	if e.At == "" {
		return e.Text
	}
	return e.At + ": " + e.Text
}

// refuse returns an error at the current statement.
func (sh *Shell) refuse(format string, args ...any) error {
	return &Error{At: sh.Where(), Text: fmt.Sprintf(format, args...)}
}

// Where returns the script, line and column of the statement that is carried out.
func (sh *Shell) Where() string { return sh.where(sh.at) }

func (sh *Shell) where(p syntax.Pos) string {
	if !p.IsValid() {
		return sh.Name
	}
	return fmt.Sprintf("%s:%d:%d", sh.Name, p.Line(), p.Col())
}

// located adds a place to an error that has none.
func (sh *Shell) located(err error) error {
	var e *Error
	if errors.As(err, &e) && e.At == "" {
		e.At = sh.Where()
	}
	return err
}

type kind int

const (
	exiting kind = iota
	returning
	breaking
	continuing
)

// jump is how exit, return, break and continue leave what they are in.
type jump struct {
	kind kind
	n    int
}

func (j *jump) Error() string { return "a jump out of nothing" }

func asJump(err error, j **jump) bool { return errors.As(err, j) }

// failed is a mistake of a script, by which a shell ends with a status: an unset variable.
type failed struct {
	status int
	text   string
}

func (f *failed) Error() string { return f.text }
