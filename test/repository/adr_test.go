package repository

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

var update = flag.Bool("update", false, "write the index of docs/adr anew")

// heading is the beginning of a decision: its number and title, then its date and status.
var heading = regexp.MustCompile(`^# (\d+)\. (.+)\n(\d{4}-\d\d-\d\d) · ((?:accepted|superseded|rejected).*)\n\n`)

// TestDecisions checks that every file in docs/adr says when it was decided and whether it is
// still true, and that the index lists it.
func TestDecisions(t *testing.T) {
	dir := filepath.Join(root, "docs", "adr")
	files, err := filepath.Glob(filepath.Join(dir, "[0-9]*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	var index strings.Builder
	index.WriteString("# Decisions\n\nHalf a page each: what was decided, why, and what was rejected. A number is never reused, and a decision that no longer\nholds stays, with a status that says what replaced it. `go test ./test/repository -update` writes this table.\n\n| | decision | date | status |\n|--:|---|---|---|\n")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		m := heading.FindStringSubmatch(string(text))
		if m == nil || !strings.HasPrefix(name, fmt.Sprintf("%04s-", m[1])) {
			t.Errorf("docs/adr/%s does not begin with \"# N. Title\" and \"YYYY-MM-DD · accepted\", superseded or rejected", name)
			continue
		}
		fmt.Fprintf(&index, "| %s | [%s](%s) | %s | %s |\n", m[1], m[2], name, m[3], m[4])
	}
	golden.Compare(t, *update, filepath.Join(dir, "README.md"), index.String())
}
