package script

import (
	"errors"
	"slices"
)

// Files answers what a script asks of files while it is read. Each function gets the commands that
// come before, and must not keep them. One that is nil knows no answer.
type Files struct {
	// Test decides [ OP NAME ], such as -f /x.
	Test func(before []Command, op, name string) (bool, error)
	// Match returns the names of the files that match a pattern.
	Match func(before []Command, w Word) ([]string, error)
	// Print returns what a command prints, those that are piped into it included. Of one whose
	// output is unknown the error is [ErrOutput].
	Print func(before []Command, c Command) (string, error)
}

// ErrOutput is about a command whose output is not known.
var ErrOutput = errors.New("what it prints is not known")

// errInside is about a question that a substitution asks after a command of its own.
var errInside = errors.New("a substitution with more than one command is not supported: write the value")

// before returns the commands that come before the current one.
func (s *shell) before() ([]Command, error) {
	if s.inside && len(s.commands) > 0 {
		return nil, errInside
	}
	return slices.Concat(s.prior, s.commands), nil
}

// lose reports that a question has no answer. What depends on it would be a guess, so that nothing
// more is asked.
func (s *shell) lose(at string, err error) {
	if !s.lost {
		s.add(at, "%w", err)
	}
	s.lost = true
}

// names returns the names of the files that match a pattern, or the text of a plain word.
func (s *shell) names(w Word) []string {
	if w.Pattern == "" {
		return []string{w.Text}
	}
	if s.files.Match == nil {
		s.add(w.Text, "%s may match names of files, which are unknown: write the names, or put it in quotes",
			w.Text)
		return nil
	}
	if s.lost {
		return nil
	}
	before, err := s.before()
	var found []string
	if err == nil {
		found, err = s.files.Match(before, w)
	}
	if err != nil {
		s.lose(w.Text, err)
	}
	return found
}

// holds decides [ OP NAME ].
func (s *shell) holds(op, name string) bool {
	if s.files.Test == nil {
		s.add(op, "[ %s %s ] asks for a file, and none is supported", op, name)
		return false
	}
	if s.lost {
		return false
	}
	before, err := s.before()
	var ok bool
	if err == nil {
		ok, err = s.files.Test(before, op, name)
	}
	if err != nil {
		s.lose(name, err)
	}
	return ok
}
