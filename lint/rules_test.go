package lint_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// TestRules checks for every rule that it finds exactly one thing in its bad manifest, that no
// other rule finds anything there, and that nothing is found in the good one.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, path := range files {
		id := strings.TrimSuffix(filepath.Base(path), ".txtar")
		have = append(have, id)
		t.Run(id, func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range a.Files {
				names = append(names, f.Name)
				var expect []string
				if f.Name == "bad.yaml" {
					expect = []string{id}
				}
				o := lint.Options{Lock: readLock(t)}
				if releaseOnly(id) {
					o.Product = &product.Product{}
				}
				if !strings.Contains(string(f.Data), "kind:") {
					t.Errorf("%s has no object", f.Name)
				}
				r, err := lint.Check(t.Context(), []lint.File{{Name: f.Name, Text: f.Data}}, o)
				if err != nil {
					t.Fatal(err)
				}
				if got := ids(r.Findings); !slices.Equal(got, expect) {
					t.Errorf("%s: found %q, want %q", f.Name, got, expect)
				}
			}
			if !slices.Equal(names, []string{"bad.yaml", "good.yaml"}) {
				t.Errorf("the archive has %q, want bad.yaml and good.yaml", names)
			}
		})
	}
	for _, r := range lint.Rules() {
		// which are about slipway.yaml, see TestUnused, the values of charts, a release for one
		// build, see TestWindowsSelector, and images: see package audit
		if !ofIndexes(r) && r.ID != "product-undecided" && r.ID != "image-unused" && r.ID != "product-unused" &&
			r.ID != "chart-image-unrendered" && r.ID != "image-windows-selector" {
			want = append(want, r.ID)
		}
	}
	for _, id := range want {
		if !slices.Contains(have, id) {
			t.Errorf("rule %s has no testdata/rules/%[1]s.txtar, with bad.yaml and good.yaml", id)
		}
	}
	for _, id := range have {
		if !slices.Contains(want, id) {
			t.Errorf("testdata/rules/%s.txtar is of no rule", id)
		}
	}
}

// ofIndexes reports whether a rule is about images; package audit tests those.
func ofIndexes(r lint.Rule) bool {
	return slices.ContainsFunc(lint.IndexRules(), func(o lint.Rule) bool { return o.ID == r.ID })
}

// TestRuleTexts holds the table itself: what a reader of a finding needs is there, in a form that
// fits the pages it goes to.
func TestRuleTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range lint.Rules() {
		if seen[r.ID] {
			t.Errorf("%s is there twice", r.ID)
		}
		seen[r.ID] = true
		for what, text := range map[string]string{
			"title": r.Title, "reason": r.Reason, "instead": r.Instead,
			"link": r.Link,
		} {
			if text == "" {
				t.Errorf("%s has no %s", r.ID, what)
			}
		}
		switch {
		case strings.HasSuffix(r.Title, "."), strings.HasSuffix(r.Instead, "."):
			t.Errorf("%s: title and instead are put into sentences: no full stop", r.ID)
		case !strings.HasSuffix(r.Reason, "."):
			t.Errorf("%s: the reason is a sentence", r.ID)
		case !strings.HasPrefix(r.Link, "https://"):
			t.Errorf("%s: link %s", r.ID, r.Link)
		case !slices.Contains([]lint.Severity{lint.Error, lint.Warning, lint.Note}, r.Severity):
			t.Errorf("%s: severity %q", r.ID, r.Severity)
		case r.OS != "" && !strings.HasPrefix(r.ID, r.OS) && !strings.HasPrefix(r.ID, "host-process-") &&
			!strings.HasPrefix(r.ID, "image-") && !ofIndexes(r):
			t.Errorf("%s is about %s", r.ID, r.OS)
		}
	}
}

// TestChanged holds that rules say what was true in 2019 where the enhancement, or the
// documentation of its time, said something else of a field than is true today.
func TestChanged(t *testing.T) {
	differ := []string{
		"windows-privileged", "windows-host-network", "windows-run-as-non-root", "windows-run-as-user-name",
		"windows-sub-path", "windows-file-mount",
		"windows-mount-propagation", "windows-termination-message-path", "windows-termination-grace-period",
		"image-windows-build", "os-beta-label",
	}
	for _, r := range lint.Rules() {
		n := slices.Index(differ, r.ID)
		if n < 0 {
			continue
		}
		differ = slices.Delete(differ, n, n+1)
		if r.Changed == "" {
			t.Errorf("%s does not say what was true in 2019", r.ID)
		}
	}
	if len(differ) > 0 {
		t.Errorf("there are no rules %q", differ)
	}
}

func releaseOnly(id string) bool {
	return slices.ContainsFunc(lint.Rules(), func(r lint.Rule) bool { return r.ID == id && r.ReleaseOnly })
}

func ids(findings []lint.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Rule)
	}
	return all
}

// check checks one manifest beside the lock of testdata.
func check(t *testing.T, name, text string) *lint.Report {
	t.Helper()
	r, err := lint.Check(t.Context(), []lint.File{{Name: name, Text: []byte(text)}}, lint.Options{Lock: readLock(t)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readLock(t testing.TB) *lock.Lock {
	t.Helper()
	l, err := lock.Read("testdata/release.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
