package product

import (
	"os"
	"time"

	"github.com/slipway-dev/slipway/internal/sandbox"
)

// Rebuild is what made a release besides its files, for whoever reproduces it.
type Rebuild struct {
	// SourceDateEpoch is the time that was given to the release; zero if none was.
	SourceDateEpoch time.Time
	// Sources are the sources by their names. Modules are what slipway.yaml says, but for Commit.
	Sources map[string]RebuiltSource
	// Confined means that the release is a third party's: see [Source].
	Confined bool
	// Sandbox is that of the sources; nil for none.
	Sandbox *sandbox.Box
}

// RebuiltSource is a source of a release that is reproduced.
type RebuiltSource struct {
	Directory string // absolute; "" if it is where slipway.yaml says
	Revision  string
	Created   time.Time
	// Commit is the commit that has exactly the source, in full, and In the directory's path in its
	// repository: whoever reproduces the release has no git to ask. "" asks.
	Commit, In string
	// Proven reports whether Commit was compared, for machines that cannot.
	Proven bool
}

// environment returns the function that looks up environment variables.
func (r *Rebuild) environment() func(string) string {
	if r == nil {
		return os.Getenv
	}
	return func(name string) string {
		if name != epochVariable {
			return ""
		}
		return epochText(r.SourceDateEpoch)
	}
}

func (r *Rebuild) source(name string) (RebuiltSource, bool) {
	if r == nil {
		return RebuiltSource{}, false
	}
	s, ok := r.Sources[name]
	return s, ok
}
