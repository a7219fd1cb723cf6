package build

import (
	"context"
	"io/fs"
)

// modes returns the function for the modes of files of build contexts, which are in a module
// source, or in none.
func (b *Builder) modes(module string) func(context.Context, string, fs.FileInfo) (fs.FileMode, error) {
	if module != "" {
		return moduleMode
	}
	return b.product.Mode
}

// moduleMode returns the mode of a file of a Go module, which has none: the go command takes it
// from the umask and -modcacherw.
func moduleMode(_ context.Context, _ string, fi fs.FileInfo) (fs.FileMode, error) {
	if fi.IsDir() {
		return fs.ModeDir | 0o755, nil
	}
	return fi.Mode().Type() | 0o644, nil
}
