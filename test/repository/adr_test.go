package repository

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

var update = flag.Bool("update", false, "write the index of docs/adr anew")

// heading is the beginning of a decision: its number and title, then its date, status and subject.
var heading = regexp.MustCompile(
	`^# (\d+)\. (.+)\n(\d{4}-\d\d-\d\d) · ((?:accepted|superseded|rejected)[^·\n]*) · ([^·\n]+)\n\n`)

// subjects are the headings of the index, in their order.
var subjects = []string{
	"Releases", "Names, tags and registries", "Bases and pins", "Programs and images", "Dockerfiles",
	"Manifests and charts",
	"Bundles", "Store and files", "Network", "Provenance and rebuilds", "Signing and verification", "Untrusted input",
	"Several machines", "Output and documentation", "Code and tests",
}

const introduction = "# Decisions\n\n" +
	"A page at most each: what was decided, why, and what was rejected. Before the first release, " +
	"decisions on one subject\n" +
	"are merged into one record, and records are renumbered. From then on a number is never reused: " +
	"a new decision gets the\n" +
	"next one, and a decision that no longer holds stays, with a status that names its replacement.\n\n" +
	"The second line of a record has its date, " +
	"status and subject. `go test ./test/repository -run=TestDecisions -update`\n" +
	"writes this page.\n"

// TestDecisions checks that the files in docs/adr are numbered without gaps and have a date, a
// status and a subject, and that the index lists them by subject.
func TestDecisions(t *testing.T) {
	dir := filepath.Join(root, "docs", "adr")
	files, err := filepath.Glob(filepath.Join(dir, "[0-9]*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no decisions: %v", err)
	}
	rows := map[string]string{}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		m := heading.FindStringSubmatch(string(text))
		if m == nil || !strings.HasPrefix(name, fmt.Sprintf("%04s-", m[1])) {
			t.Errorf("docs/adr/%s does not begin with \"# N. Title\" and \"YYYY-MM-DD · accepted "+
				"· Subject\", superseded or rejected", name)
			continue
		}
		if m[1] != fmt.Sprint(i+1) {
			t.Errorf("docs/adr/%s is file %d: numbers have no gaps", name, i+1)
		}
		number, title, date, status, subject := m[1], m[2], m[3], m[4], m[5]
		if !slices.Contains(subjects, subject) {
			t.Errorf("docs/adr/%s has the subject %q, which is not one of %q", name, subject, subjects)
		}
		decision := fmt.Sprintf("[%s](%s)", title, name)
		if status != "accepted" {
			decision += ": " + status
		}
		rows[subject] += fmt.Sprintf("| %s | %s | %s |\n", number, decision, date)
	}
	index := introduction
	for _, subject := range subjects {
		if rows[subject] == "" {
			t.Errorf("no decision has the subject %q", subject)
		}
		index += "\n## " + subject + "\n\n| | decision | date |\n|--:|---|---|\n" + rows[subject]
	}
	golden.Compare(t, *update, filepath.Join(dir, "README.md"), index)
}
