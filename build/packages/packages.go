// Package packages is where Dockerfiles meet the package managers of Linux distributions.
//
// A [Manager] carries out the commands of one distribution's tools on the files of a stage, without
// a process: it resolves names to packages, fetches and unpacks them, and records them where the
// distribution's own tools look. Dockerfile code knows the names of its commands and no more, so
// that a further distribution is a further Manager. That of Debian is package apt.
package packages

import (
	"context"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/platform"
)

// Manager is the package management of a distribution. It may be used by several goroutines, for
// different stages.
type Manager interface {
	// Check reports what is wrong with a command, as far as its words tell.
	Check(args []string) error
	// Run carries out a command. The files that it leaves depend on the call alone: a call may be
	// repeated on a copy of the tree.
	Run(ctx context.Context, c Call) error
	// Print returns what a command prints, for $(dpkg --print-architecture).
	Print(args []string, p platform.Platform) (string, error)
}

// Call is one command of a RUN.
type Call struct {
	// Args are the name of the command, without its directory, and its words.
	Args []string
	// Input returns what is piped into it; nil for nothing.
	Input func() (string, error)
	// Env returns the value of a variable, and whether it is set.
	Env func(name string) (string, bool)
	// Dir is the working directory: relative paths begin there.
	Dir      string
	Stage    string            // its name in the Dockerfile, or its number
	Platform platform.Platform // of the stage
	Tree     *tree.Tree
	Archives *tree.Archives // unpacks archives into the store
	// Check evaluates without the bytes of files: a command that needs those of a package that is
	// not at hand returns a [LaterError] after it has checked all else.
	Check bool
	// Unknown means that the files of the base are not at hand, and Tree is nil: then only what
	// packages.lock.yaml lacks is an error, and everything else a [LaterError].
	Unknown bool
}

// LaterError is about packages that a check does not read. What the command would leave is not
// known then.
type LaterError struct{ error }

// Unwrap returns the reason.
func (e LaterError) Unwrap() error { return e.error }

// Later returns a LaterError.
func Later(err error) error { return LaterError{err} }

// AbsentError is about packages that nothing pins, or that are not at hand and that a snapshot does
// not ask for. A release to a registry ends with it; a snapshot goes on without them.
type AbsentError struct{ error }

// Unwrap returns the reason.
func (e AbsentError) Unwrap() error { return e.error }

// Absent returns an AbsentError.
func Absent(err error) error { return AbsentError{err} }

// Commands are the names of all commands that managers carry out.
func Commands() []string {
	return []string{
		"apt-get", "apt", "apt-cache", "apt-mark", "clean-install", "debconf-set-selections", "dpkg", "dpkg-deb",
		"dpkg-query",
	}
}
