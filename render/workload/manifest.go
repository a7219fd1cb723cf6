package workload

import (
	"path/filepath"
	"slices"
	"strings"
)

// IsManifest reports whether a file has the name of a manifest. Case does not count, as on Windows.
func IsManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
}
