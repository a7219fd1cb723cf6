package disk

import "path/filepath"

// Within returns the path of a file relative to dir, with slashes. ok is false if it is neither
// dir nor below it. Neither has to be there.
func Within(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
