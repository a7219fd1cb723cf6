package source

import (
	"context"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// compiled are the names and extensions of files that the go command opens where it finds them.
var compiled = []string{
	"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt",
	".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
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
	file := filepath.Join(dir, "go.mod")
	text, err := regular.Read(file)
	if err != nil {
		return nil // the walk, or the go command, reports it
	}
	f, err := modfile.Parse(file, text, nil) // ParseLax passes over replace
	if err != nil {
		return nil
	}
	for _, r := range f.Replace {
		to := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		if r.New.Version == "" && !disk.Within(dir, to) {
			all = append(all, to)
		}
	}
	return all
}
