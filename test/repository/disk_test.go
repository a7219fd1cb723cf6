package repository

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOneWayToTheDisk checks that every file and directory of the product is made by internal/disk,
// whose temporary names the next process knows and whose modes do not depend on the umask.
func TestOneWayToTheDisk(t *testing.T) {
	makes := func(pkg, name string) bool {
		return pkg == "os" &&
			slices.Contains([]string{"Create", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "WriteFile"},
				name) ||
			strings.HasPrefix(pkg, "github.com/google/renameio")
	}
	for dir := range packages(t) {
		if dir == "internal/disk" || dir == "internal/regular" { // which opens for reading only
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, found := range uses(t, file, makes) {
				t.Errorf("%s: use internal/disk, so that nothing is left behind for ever", found)
			}
		}
	}
}
