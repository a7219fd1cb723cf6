package source

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Workspace returns a line for each module that go build would take from a directory in the
// source's place, since a go.work names it, and that a release takes from the module proxy:
// go.work is not read.
func (t Tree) Workspace() (lines []string) {
	if t.Fixed {
		return nil
	}
	own, err := readModule(t.Dir)
	if err != nil {
		return nil // the go command will report it
	}
	file, work := workspace(t.Dir)
	if work == nil {
		return nil
	}
	for _, u := range work.Use {
		dir := from(filepath.Dir(file), u.Path)
		other, err := readModule(dir)
		if err != nil || other.Module == nil {
			continue
		}
		path := other.Module.Mod.Path
		at := slices.IndexFunc(own.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
		replaced := slices.ContainsFunc(own.Replace, func(r *modfile.Replace) bool { return r.Old.Path == path })
		if at >= 0 && !replaced {
			lines = append(lines,
				fmt.Sprintf("source %s is compiled with %s as its go.mod requires it, and not with %s: "+
					"%s is not read; replace the module in go.mod if the directory is meant",
					t.Source.Name, own.Require[at].Mod, dir, file))
		}
	}
	return lines
}

// workspace returns the go.work that counts in a directory; nil for none.
func workspace(dir string) (file string, work *modfile.WorkFile) {
	for ; ; dir = filepath.Dir(dir) {
		file = filepath.Join(dir, "go.work")
		if text, err := regular.Read(file); err == nil {
			work, _ = modfile.ParseWork(file, text, nil) // it is not read
			return file, work
		}
		if filepath.Dir(dir) == dir {
			return "", nil
		}
	}
}

func readModule(dir string) (*modfile.File, error) {
	file := filepath.Join(dir, "go.mod")
	text, err := regular.Read(file)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(file, text, nil) // ParseLax passes over replace
}

// Module is a module in a directory.
type Module struct{ Path, Dir string }

// Local returns the modules in directories that the go.mod in a directory is about: its own, and
// those by which it replaces others.
func Local(dir string) (all []Module, err error) {
	f, err := readModule(dir)
	if err != nil {
		return nil, err
	}
	if f.Module != nil {
		all = append(all, Module{f.Module.Mod.Path, dir})
	}
	for _, r := range f.Replace {
		if r.New.Version == "" {
			all = append(all, Module{r.Old.Path, from(dir, r.New.Path)})
		}
	}
	return all, nil
}

// from returns a path of a go.mod or go.work that is in dir.
func from(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// compiled are the names and extensions of files that the go command opens where it finds them.
var compiled = []string{
	"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt",
	".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90",
	".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
}

// CheckFiles returns an error if a directory, or one by which its go.mod replaces a module, has a
// pipe, a device or a socket with the name of a file that the go command opens, which would wait
// for it for ever.
func CheckFiles(ctx context.Context, dir string) error {
	for _, d := range append([]string{dir}, replaced(dir)...) {
		err := regular.Tree(ctx, d, func(name string) bool {
			return slices.Contains(compiled, name) || slices.Contains(compiled, filepath.Ext(name))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// replaced returns the directories outside of dir by which its go.mod replaces modules.
func replaced(dir string) (all []string) {
	modules, _ := Local(dir) // the walk, or the go command, reports it
	for _, m := range modules {
		if !disk.Within(dir, m.Dir) {
			all = append(all, m.Dir)
		}
	}
	return all
}
