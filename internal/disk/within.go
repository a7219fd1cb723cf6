package disk

import "path/filepath"

// Within reports whether a path is dir or below it, by the names alone: symbolic links are not
// followed.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
