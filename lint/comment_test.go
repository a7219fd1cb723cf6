package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/lint"
)

// pods are two documents, of which the first has a finding in line 9 (fsGroup) and one in line 10
// (runAsUser).
const pods = `---
apiVersion: v1
kind: Pod
metadata: {name: app, namespace: demo}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  securityContext:
    fsGroup: 1
    runAsUser: 1
  containers: []
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: demo}
spec: {os: {name: windows}, nodeSelector: {kubernetes.io/os: windows}, containers: [], securityContext: {fsGroup: 1}}
`

// TestComments says which findings of pods remain with a comment in a place: those of line 9, 10
// and 16 by their rule, and what is wrong with the comment.
func TestComments(t *testing.T) {
	const allow = "# slipway:allow windows-fs-group volumes are ours"
	// insert puts lines before line n of pods, beside appends to it.
	insert := func(n int, lines ...string) string {
		all := strings.SplitAfter(pods, "\n")
		return strings.Join(all[:n-1], "") + strings.Join(lines, "\n") + "\n" + strings.Join(all[n-1:], "")
	}
	beside := func(n int, text string) string {
		all := strings.SplitAfter(pods, "\n")
		all[n-1] = strings.TrimSuffix(all[n-1], "\n") + text + "\n"
		return strings.Join(all, "")
	}
	const fs, user = "windows-fs-group", "windows-run-as-user"
	for _, tt := range []struct {
		name, text string
		want       []string
		at         string // of the finding about the comment
	}{
		{"none", pods, []string{fs, user, fs}, ""},
		{"beside", beside(9, " "+allow), []string{user, fs}, ""},
		{"beside, after a tab", beside(9, "\t"+allow), []string{user, fs}, ""},
		{"without a blank before it", beside(9, allow), []string{"object-field", fs}, ""},
		{"above", insert(9, "    "+allow), []string{user, fs}, ""},
		{"above, indented otherwise", insert(9, allow), []string{user, fs}, ""},
		{"above another comment", insert(9, "    "+allow, "    # and more"), []string{user, fs}, ""},
		{
			"two above", insert(9, "    "+allow, "    # slipway:allow windows-run-as-user never"),
			[]string{"allow-unused", user, fs},
			"10:5",
		},
		{"above a blank line", insert(9, "    "+allow, ""), []string{"allow-unused", fs, user, fs}, "9:5"},
		{"two lines above", insert(8, "  "+allow), []string{"allow-unused", fs, user, fs}, "8:3"},
		{"below", insert(10, "    "+allow), []string{fs, "allow-unused", user, fs}, "10:5"},
		{"above an object", insert(2, allow), []string{user, fs}, ""},
		{"above an object and a blank line", insert(2, allow, "", "# more"), []string{user, fs}, ""},
		{"above the start of a document", insert(1, allow), []string{user, fs}, ""},
		{"beside the start of a document", beside(1, " "+allow), []string{user, fs}, ""},
		{"above the second object", insert(13, allow), []string{fs, user}, ""},
		{"at the end", pods + allow + "\n", []string{fs, user, fs, "allow-unused"}, "17:1"},
		{"before the end of a document", insert(12, "# a", allow), []string{fs, user}, ""},
		{"with Windows' line ends", strings.ReplaceAll(beside(9, " "+allow), "\n", "\r\n"), []string{user, fs}, ""},
		{"no rule", beside(9, " # slipway:allow"), []string{fs, "allow-unknown", user, fs}, "9:16"},
		{
			"an unknown rule", beside(9, " # slipway:allow fs-group why not"),
			[]string{fs, "allow-unknown", user, fs},
			"9:16",
		},
		{"no reason", beside(9, " # slipway:allow windows-fs-group"), []string{fs, "allow-reason", user, fs}, "9:16"},
		{
			"no reason but blanks", beside(9, " # slipway:allow windows-fs-group  "),
			[]string{fs, "allow-reason", user, fs},
			"9:16",
		},
		{"another word", beside(9, " # slipway:allowed windows-fs-group x"), []string{fs, user, fs}, ""},
		{"in the middle of a comment", beside(9, " # see slipway:allow"), []string{fs, user, fs}, ""},
		{
			"columns count characters", insert(9, "    \"ü\": 1 # slipway:allow x"),
			[]string{"object-field", "allow-unknown", fs, user, fs},
			"9:12",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(tt.text)}},
				lint.Options{Lock: readLock(t)})
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(r.Findings); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for _, f := range r.Findings {
				if strings.HasPrefix(f.Rule, "allow-") && !strings.HasPrefix(f.String(), "m.yaml:"+tt.at+": ") {
					t.Errorf("%v, want it at %s", f, tt.at)
				}
			}
			for _, f := range r.Allowed {
				if f.Reason != "volumes are ours" {
					t.Errorf("allowed for %q", f.Reason)
				}
			}
		})
	}
}

// TestCommentsInTexts finds no comments in texts, and those after them.
func TestCommentsInTexts(t *testing.T) {
	const no = "# slipway:allow in a text"
	text := `apiVersion: example.com/v1
kind: Widget
metadata: {name: a} # slipway:allow one
data:
  literal: |
    ` + no + `

    x ` + no + `
  # slipway:allow two
  folded: >-
      first
      ` + no + `
    # slipway:allow three
  deeper: |2
      first
    ` + no + `
  quoted: "x ` + no + ` \" ` + no + `
    ` + no + ` \\" # slipway:allow four
  single: 'x ` + no + ` '' ` + no + `
    ` + no + `' # slipway:allow five
  anchored: &a "x ` + no + `" # slipway:allow six
  fast: x` + no + `
  plain: x y
    z # slipway:allow seven
  list:
  - |
    ` + no + `
  - ['` + no + `', "` + no + `"] # slipway:allow eight
  empty: |
  # slipway:allow nine
  "key # slipway:allow in a key": v # slipway:allow ten
  last: |
    ` + no + `
`
	var got []string
	for _, f := range check(t, "m.yaml", text).Findings {
		got = append(got, strings.TrimSuffix(strings.TrimPrefix(f.What, "rule "), " does not exist"))
	}
	want := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
