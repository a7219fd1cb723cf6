package program

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Read is what a program was compiled from, besides what a hash in slipway.yaml or go.sum fixes.
type Read struct {
	Program Program
	Files   []string // absolute
	// Tree means that any file of the source may have been read, by a compiler of C for example,
	// and Unknown that any file at all may have been, since flags name files or commands.
	Tree, Unknown bool
}

// read is a batch that has ended, with the inputs of its programs; nil where these are not known.
type read struct {
	batch  *batch
	inputs *comparison
}

// Read returns the files that were read of directory sources, when wait has ended.
func (s *Set) Read() (all []Read) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.read {
		for _, p := range of.batch.programs {
			if p.Tree.Fixed {
				continue
			}
			flags := func(kv string) bool { return strings.HasPrefix(kv, "GOFLAGS=") }
			unknown := len(refusedFlags(p.Flags)) > 0 || slices.ContainsFunc(p.Env, flags)
			r := Read{Program: p.Program, Tree: true, Unknown: unknown}
			if of.inputs != nil {
				if was, ok := of.inputs.known[p.Package]; ok {
					r.Files, r.Tree = was.Inputs.files(), false
				}
			}
			all = append(all, r)
		}
	}
	return all
}

// files returns the files that are there, tests excepted: the compiler does not read those.
func (i inputs) files() []string {
	all := slices.Clone(i.Files)
	for _, dir := range i.Dirs {
		entries, _ := os.ReadDir(dir) // a missing one has no files
		for _, e := range entries {
			if slices.Contains(inputNames, path.Ext(e.Name())) && !strings.HasSuffix(e.Name(), "_test.go") {
				all = append(all, filepath.Join(dir, e.Name()))
			}
		}
	}
	for _, e := range i.Embeds {
		all = append(all, e.files()...)
	}
	all = slices.DeleteFunc(all, func(name string) bool {
		fi, err := os.Stat(name)
		return err != nil || !fi.Mode().IsRegular()
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// files returns the files that the pattern matches, and those in directories that it matches. Files
// that cannot be read are not compiled in.
func (e embed) files() (all []string) {
	e.visit(func(_ fs.FS, top, name string, _ fs.DirEntry, err error) error { //nolint:errcheck // see above
		if err == nil && e.takes(top, name) {
			all = append(all, filepath.Join(e.Dir, filepath.FromSlash(name)))
		}
		return nil
	})
	return all
}

// takes reports whether the go command embeds a file of a directory that matches: without all:, not
// those whose names begin with a dot or an underscore.
func (e embed) takes(top, name string) bool {
	if strings.HasPrefix(e.Pattern, "all:") || name == top {
		return true
	}
	return !slices.ContainsFunc(strings.Split(strings.TrimPrefix(name, top+"/"), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_")
	})
}

// stamp returns a text that differs when one of the files was written, removed or added.
func (i inputs) stamp() string {
	var b strings.Builder
	for _, name := range i.files() {
		if fi, err := os.Stat(name); err == nil {
			b.WriteString(name + " " + disk.Stamp(fi) + "\n")
		}
	}
	return b.String()
}
