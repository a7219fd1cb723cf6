package consumertable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const text = `# A page

<!-- table birds -->
| bird | call | eggs |
|---|---|---|
| owl 1.2 | ` + "`hoot \\| howl`" + ` | 3 |
| owl 1.10 | ` + "`hoot`" + ` | 4 |
<!-- end -->

More text.
`

func birds(t *testing.T, rows ...[]string) *Table {
	t.Helper()
	b := &Table{Name: "birds", Columns: []string{"bird", "call", "eggs"}, Keys: 2}
	for _, r := range rows {
		b.Record(t, r...)
	}
	return b
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	older = []string{"owl 1.2", "`hoot | howl`", "3"}
	newer = []string{"owl 1.10", "`hoot`", "4"}
)

func TestCompare(t *testing.T) {
	for name, tt := range map[string]struct {
		page string
		rows [][]string
		c    comparison
		err  string // what the error says; empty: none
		told string // what is reported
	}{
		"the same": {page: text, rows: [][]string{newer, older}},
		"another": {
			page: text, rows: [][]string{newer, {"owl 1.2", "`hoot | howl`", "5"}},
			err: "and the tests saw\n| owl 1.2 | `hoot \\| howl` | 5 |",
		},
		"one more": {
			page: text, rows: [][]string{newer, older, {"kiwi", "`-`", "1"}},
			err: "lacks\n| kiwi | `-` | 1 |",
		},
		"one less": {page: text, rows: [][]string{newer}, err: "a row that no test saw:\n| owl 1.2 |"},
		"a part":   {page: text, rows: [][]string{newer}, c: comparison{partial: true}},
		"without": {
			page: text, rows: [][]string{newer}, c: comparison{without: []string{"owls"}},
			told: "without owls these rows of PAGE were not compared:\n| owl 1.2 |",
		},
		"wrong part": {
			page: text, rows: [][]string{{"owl 1.10", "`hoot`", "5"}}, c: comparison{partial: true},
			err: "says\n| owl 1.10 | `hoot` | 4 |",
		},
		"no table": {page: "# A page\n", rows: [][]string{newer}, err: `lacks "<!-- table birds -->" to put`},
		"without end": {
			page: strings.Replace(text, "<!-- end -->", "", 1), rows: [][]string{newer},
			err: "the table birds has no <!-- end -->",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, tt.page)
			var told strings.Builder
			tt.c.say = &told
			err := tt.c.run(path, []*Table{birds(t, tt.rows...)})
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if want := strings.ReplaceAll(tt.told, "PAGE", path); !strings.Contains(told.String(), want) ||
				want == "" && told.Len() > 0 {
				t.Errorf("told %q, want %q", told.String(), want)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != tt.page {
				t.Errorf("the page was changed: %v\n%s", err, after)
			}
		})
	}
}

// TestUpdate writes an empty table, then a part of it anew, and keeps what did not run.
func TestUpdate(t *testing.T) {
	above, below, _ := strings.Cut(text, "| bird")
	_, below, _ = strings.Cut(below, "<!-- end")
	empty := above + "<!-- end" + below
	path := write(t, empty)
	c := comparison{update: true, say: os.Stderr}
	if err := c.run(path, []*Table{birds(t, newer, older)}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Fatalf("%v\n%s", err, got)
	}
	c.partial = true
	if err := c.run(path, []*Table{birds(t, []string{"owl 1.10", "`hoot`", "9"})}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != strings.Replace(text, "| 4 |", "| 9 |", 1) {
		t.Fatalf("%v\n%s", err, got)
	}
	c.partial = false
	if err := c.run(path, []*Table{birds(t, newer)}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || strings.Contains(string(got), "owl 1.2") {
		t.Fatalf("what no test sees any more is still there: %v\n%s", err, got)
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3": "x 1.6",
		"Docker version 20.10.24+dfsg1, build 297e128":                                "x 20.10",
		"v0.7.1": "x 0.7",
	} {
		if got := Built("x", in); got != want {
			t.Errorf("%q is named %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n": "Debian 12",
		"NAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\n":                                                        "Ubuntu 24.04",
		"NAME=Fedora\n": "Fedora",
	} {
		if got := release(in); got != want {
			t.Errorf("%q is named %q, want %q", in, got, want)
		}
	}
}
