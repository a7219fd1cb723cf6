package disk

import (
	"os"
	"path/filepath"
)

// Short returns a path for a message: relative to the working directory if it is below that, as the
// go command has it, and else as it is.
func Short(path string) string {
	dir, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Within reports whether a path is dir or below it, by the names alone: symbolic links are not
// followed.
func Within(dir, path string) bool {
	_, ok := Below(dir, path)
	return ok
}

// Below returns the path of a file relative to dir, with slashes. ok is false if it is neither
// dir nor below it. Neither has to exist.
func Below(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
