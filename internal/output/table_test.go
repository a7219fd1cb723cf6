package output_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/output"
)

// TestTable: a table without rows is nothing, and one with rows has its header once.
func TestTable(t *testing.T) {
	var b strings.Builder
	if err := output.NewTable(&b, "\nA\tB").Flush(); err != nil || b.Len() > 0 {
		t.Errorf("without rows: %q, %v", b.String(), err)
	}
	table := output.NewTable(&b, "\nNAME\tB")
	table.Row("%s\t%s", "a\x1b[2J", "1")
	table.Row("b\t2")
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "\nNAME      B\n"; !strings.HasPrefix(b.String(), want) || strings.Contains(b.String(), "\x1b") ||
		strings.Count(b.String(), "NAME") != 1 || !strings.HasSuffix(b.String(), "b         2\n") {
		t.Errorf("%q", b.String())
	}
}
