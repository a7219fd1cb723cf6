package run

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// Skip is a line or a command of a toolchain that was passed over. What it may have written is in
// doubt: what a later line writes there is known again, and the rest must not be copied.
type Skip struct {
	At   []parser.Range
	Text string
	// paths are what it may write, with all that is in them.
	paths []string
	// system means that it may write to the directories of the system, too.
	System bool
	// changes means that it may change files in paths that were there, and not only add others.
	changes bool
	// anywhere means that it may make files in every directory that was there.
	anywhere bool
	// Refusal is the reason, which is reported when a file is wanted that the command may have
	// written. A package manager, which needs no reason, has nil.
	Refusal error
	Because []*Skip // it fails because of these
	Told    bool    // the refusal was reported
}

// refused is a command that is not carried out, as opposed to one that fails.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// AddSkip puts a skip on the stage's list.
func (s *State) AddSkip(k *Skip) {
	if k.Refusal != nil {
		s.guess = true
	}
	s.Skipped = append(s.Skipped, k)
	s.Tree.Skips = len(s.Skipped)
}

// excuses reports whether a command that was not carried out may be passed over: one that is not
// known, one that needs files which are not known, and one that may fail only since an earlier one
// was passed over.
func (s *State) excuses(err error) bool {
	var r refused
	return s.Toolchain && (errors.As(err, &r) || errors.Is(err, errUnknown) || s.guess)
}

// Writers returns what may have written the file n at p after the stage itself did, or what may
// have made what the stage has not. Those that are known to write there go before those that may.
func (s *State) Writers(p string, n *tree.Node) []*Skip {
	own := s.Tree.Nodes[p] != nil
	var exact, others []*Skip
	since := 0 // a directory above it was recreated
	for dir := p; !own && dir != "/"; dir = path.Dir(dir) {
		if s.Tree.Fresh[dir] {
			since = max(since, s.Tree.Since[dir])
		}
	}
	for i, k := range s.Skipped {
		if i < since {
			continue
		}
		later := i >= s.Tree.Since[p] // than what the stage has put there
		covered := slices.ContainsFunc(k.paths, func(dir string) bool { return tree.Within(p, dir) })
		switch {
		case !own: // whatever is there, something else has made it
			covered = covered || k.System && SystemPath(p) ||
				slices.ContainsFunc(k.paths, func(dir string) bool { return tree.Within(dir, p) })
		case n.Kind != layer.Dir:
			covered = later && (covered && k.changes || k.System && rewritten(p))
		case s.Tree.Fresh[p] && !later:
			continue
		default:
			covered = covered || k.System && SystemPath(p) ||
				slices.ContainsFunc(k.paths, func(dir string) bool { return tree.Within(dir, p) })
		}
		switch {
		case covered:
			exact = append(exact, k)
		case k.anywhere && (!own || n.Kind == layer.Dir && later):
			others = append(others, k)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return others
}

// SystemPath reports whether a path is in a directory of the system, or is / itself.
func SystemPath(p string) bool {
	top, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(p, "/")), "/")
	return top == "" || slices.Contains(systemDirs, top)
}

// rewritten reports whether package managers and their like change a file of the system that was
// there before: accounts, certificates and what they keep themselves.
func rewritten(p string) bool {
	for _, dir := range []string{
		"/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/ssl",
		"/etc/pki", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/ld.so.cache", "/var/lib", "/lib/apk",
	} {
		if tree.Within(p, dir) {
			return true
		}
	}
	return false
}
