package scaffold

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	_ "github.com/slipway-dev/slipway/render/engines"
	"github.com/slipway-dev/slipway/render/renderer"
)

// TestMain lets charts be rendered in a process with bounds, as the command does.
func TestMain(m *testing.M) {
	renderer.Main()
	os.Exit(m.Run())
}

// TestAdoption makes a product of each shape that repositories have: init, and where the check
// finds no mistakes, the release, up to the files of its images. A golden has what came out.
func TestAdoption(t *testing.T) {
	cases := adoptionCases(t)
	if len(cases) < 10 {
		t.Fatalf("there are %d shapes", len(cases))
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := written(t, a), filepath.Join("testdata", "adoption", name+".golden")
			var b bytes.Buffer
			d, err := Read(t.Context(), dir, Options{
				Name: name, Version: "v1.2.3", Revision: "abc", Created: "2026-01-02T03:04:05Z", Ask: answering(t, a, &b),
			})
			must(t, err)
			faults, err := d.Settle(t.Context(), nil)
			must(t, err)
			err = d.Report(&b, ".", faults)
			for _, f := range faults { // what init wrote, and is refused, is a fault of init
				if strings.HasPrefix(f, "slipway.yaml:") && !strings.Contains(f, "is not on this machine") {
					t.Errorf("the check refuses what init wrote: %s", f)
				}
			}
			if (err != nil) != (len(faults)+len(d.Questions) > 0) ||
				strings.Contains(b.String(), "Next: slipway release\n") != (err == nil) {
				t.Errorf("with %d faults init ends with %v:\n%s", len(faults), err, &b)
			}
			fmt.Fprintf(&b, "-- slipway.yaml --\n%s", d.YAML())
			if err == nil {
				b.WriteString(imagesTitle + releasedImages(t, dir, file))
			}
			golden.Compare(t, *update, file, b.String())
			untouched(t, dir, a)
		})
	}
}

// Files of an archive that are not the repository's: answers to questions, and symbolic links. Each
// line is a key, or a path, and what it is.
const answersFile, linksFile = "answers", "links"

// ofTest reports whether a file of an archive is not the repository's.
func ofTest(f txtar.File) bool { return f.Name == answersFile || f.Name == linksFile }

// keyed returns the lines of a file of an archive.
func keyed(a *txtar.Archive, name string) map[string]string {
	all := map[string]string{}
	for _, f := range a.Files {
		if f.Name != name {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			all[key] = value
		}
	}
	return all
}

// answering gives the answers that a shape's file answers has, a line each, and to others the first
// candidate. Each has to be among the candidates, and each has to be asked for.
func answering(t *testing.T, a *txtar.Archive, w io.Writer) Asker {
	right, asked := keyed(a, answersFile), map[string]bool{}
	t.Cleanup(func() {
		for _, key := range sortedKeys(right) {
			if !asked[key] {
				t.Errorf("nothing asked for %s", key)
			}
		}
	})
	return func(q Question) (string, bool, error) {
		answer, ok := right[q.Key]
		asked[q.Key] = true
		if !ok && len(q.Candidates) > 0 && !strings.HasSuffix(q.Key, ".builder") {
			answer = q.Candidates[0].Value
		}
		if q.Key == "destinations" && len(q.Candidates) == 0 && !ok {
			answer = "registry.example/team"
		}
		fmt.Fprintf(w, "asked %s: %s\n", q.Key, q.What)
		found := len(q.Candidates) == 0 || answer == ""
		for _, c := range q.Candidates {
			mark := " "
			if c.Value == answer {
				mark, found = "*", true
			}
			fmt.Fprintf(w, "  %s %s  %s\n", mark, c.Value, strings.Join(c.Seen, ", "))
		}
		if !found {
			t.Errorf("%s: %s is not among the candidates", q.Key, answer)
		}
		return answer, true, nil
	}
}

// TestVerdicts holds the table of shapes in docs/init.md against what came out of them: right, or
// refused with the first reason.
func TestVerdicts(t *testing.T) {
	extent.Plain(t)
	const file, marker = "../docs/init.md", "<!-- shapes: go test ./scaffold -update -->\n"
	page, err := os.ReadFile(file)
	must(t, err)
	text, _, ok := strings.Cut(string(page), marker)
	if !ok {
		t.Fatalf("%s has no %s", file, marker)
	}
	var b strings.Builder
	b.WriteString(text + marker + "\n| shape | what comes out |\n|---|---|\n")
	for name, a := range sorted(adoptionCases(t)) {
		got, err := os.ReadFile(filepath.Join("testdata", "adoption", name+".golden"))
		must(t, err)
		verdict := "right"
		if _, rest, ok := strings.Cut(string(got), " lacks what it needs:\n"); ok {
			first, _, _ := strings.Cut(rest, "\n")
			verdict = "refused: " + reason.ReplaceAllString(strings.TrimSpace(first), "")
			verdict, _, _ = strings.Cut(verdict, ": declare programs")
			verdict, _, _ = strings.Cut(verdict, ", and here only")
			verdict, _, _ = strings.Cut(verdict, "; ")
		} else if _, rest, ok := strings.Cut(string(got), "\nneeds a hand:\n"); ok {
			first, _, _ := strings.Cut(rest, "\n")
			verdict = "needs a hand: " + strings.TrimSpace(first)
		} else if _, rest, ok := strings.Cut(string(got), "\nto decide, by taking the entry out of undecided:\n"); ok {
			first, _, _ := strings.Cut(rest, "\n")
			verdict = "to decide: " + reason.ReplaceAllString(strings.TrimSpace(first), "")
		} else if !strings.Contains(string(got), "Next: slipway release\n") {
			t.Errorf("%s is refused for no image", name)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.TrimSuffix(strings.TrimSpace(string(a.Comment)), "."),
			strings.ReplaceAll(verdict, "|", `\|`))
	}
	golden.Compare(t, *update, file, b.String())
}

// reason matches what stands before the reason for an image.
var reason = regexp.MustCompile(`^(?:building image [^:]+: [^ ]+: |slipway\.yaml:\d+:\d+: [^:]+: image [^:]+: )`)

// sorted yields a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range sortedKeys(m) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
