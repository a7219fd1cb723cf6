package mutants

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTable: the table in the documentation is that of the results.
func TestTable(t *testing.T) {
	t.Parallel()
	all, err := Results(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, Table))
	if err != nil {
		t.Fatal(err)
	}
	if want := Markdown(all); string(text) != string(want) {
		t.Errorf("%s is not that of the results: run `go tool mage mutants -mutant=0`", Table)
	}
}
