package bundletest

import (
	"os"
	"testing"
)

// Empty checks that nothing is in dir.
func Empty(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("left in the directory: %v %v", files, err)
	}
}
