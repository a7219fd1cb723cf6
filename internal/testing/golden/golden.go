// Package golden compares what tests find with files in testdata.
//
// A package that uses it has a flag of its own, which `go tool mage golden` looks for:
//
//	var update = flag.Bool("update", false, "write the golden files anew")
package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Compare reports how got differs from the file at path. With update it writes the file first.
func Compare(tb testing.TB, update bool, path, got string) {
	tb.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%v: run go test -update", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		tb.Errorf("%s differs; after a look, run go test -update (-want +got):\n%s", path, d)
	}
}
