package node

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// WalkToolchain calls add with the path of every file of the Go toolchain in goroot that compiling
// programs needs: not tests, documentation and the sources of the toolchain's own programs.
func WalkToolchain(goroot string, add func(path string)) error {
	return filepath.WalkDir(goroot, func(p string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(p, goroot+"/")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(rel, "test") ||
			strings.HasPrefix(rel, "src/cmd/") || rel == "doc" || rel == "api"):
			return filepath.SkipDir
		case !d.IsDir() && !strings.HasSuffix(p, "_test.go"):
			add(p)
		}
		return nil
	})
}
