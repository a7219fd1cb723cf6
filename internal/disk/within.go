package disk

import "path/filepath"

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
