package source

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

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
