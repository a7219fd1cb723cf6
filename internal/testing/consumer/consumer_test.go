package consumer

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

var update = flag.Bool("update", false, "write the table of consumers in test/README.md")

const root = "../../.."

// TestAll checks that every entry is complete: names are unique, what is built is a tool of its
// module, and suites exist.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All {
		if c.Name == "" || c.Purpose == "" || len(c.Suites) == 0 || len(c.Commands)+len(c.Built) == 0 || seen[c.Name] {
			t.Errorf("the entry is incomplete, or its name is not unique: %+v", c)
		}
		seen[c.Name] = true
		for _, dir := range c.Suites {
			if tests, err := filepath.Glob(filepath.Join(root, dir, "*.go")); err != nil || len(tests) == 0 {
				t.Errorf("%s: no Go files in the suite %s: %v", c.Name, dir, err)
			}
		}
		for _, program := range c.Built {
			mod, err := os.ReadFile(filepath.Join(root, c.Module, "go.mod"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tool(string(mod), program); err != nil {
				t.Errorf("%s: %s/go.mod: %v", c.Name, c.Module, err)
			}
		}
	}
}

// TestTool looks up tools in a go.mod, where requirements look much alike.
func TestTool(t *testing.T) {
	const mod = "module m\n\ntool example.com/single\n\ntool (\n\texample.com/cmd/ctr\n)\n\nrequire " +
		"example.com/errdefs v1.0.0 // indirect\n"
	for name, want := range map[string]string{
		"single": "example.com/single", "ctr": "example.com/cmd/ctr",
		"errdefs": "", "m": "",
	} {
		if got, err := tool(mod, name); got != want || (err == nil) == (want == "") {
			t.Errorf("tool(%s) = %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := find(pinned); err != nil {
		t.Error(err)
	}
	t.Chdir(t.TempDir())
	if dir, err := find(pinned); err == nil {
		t.Errorf("found %s", dir)
	}
}

// TestBuildUnknown asks for a program that the consumer does not list.
func TestBuildUnknown(t *testing.T) {
	c, _ := Find("crane")
	if _, err := c.Build(t.Context(), "ctr"); err == nil || err.Error() != "consumer crane does not build ctr" {
		t.Errorf("error = %v", err)
	}
}

// TestPage compares the table in test/README.md with the entries.
func TestPage(t *testing.T) {
	path := filepath.Join(root, "test", "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table consumers -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatalf("%s: no table of consumers", path)
	}
	var table strings.Builder
	table.WriteString("| name | used for | commands | apt packages | built from Go modules | root " +
		"| suites |\n|---|---|---|---|---|---|---|\n")
	for _, c := range All {
		yes := map[bool]string{true: "yes", false: ""}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | %s | %s |\n", c.Name, c.Purpose, strings.Join(c.Commands, ", "),
			strings.Join(c.Packages, ", "), strings.Join(c.Built, ", "),
			yes[c.Root], strings.Join(slices.Clone(c.Suites), ", "))
	}
	golden.Compare(t, *update, path, before+begin+table.String()+end+after)
}

// TestSuites checks that an entry names every suite whose tests ask for it.
func TestSuites(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "test", "*", "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of suites: %v", err)
	}
	asks := regexp.MustCompile(`testprog\.(?:Need|Built|Missing)\(t, "(\w+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		suite := "test/" + filepath.Base(filepath.Dir(file))
		for _, m := range asks.FindAllStringSubmatch(string(text), -1) {
			if c, ok := Find(m[1]); !ok || !slices.Contains(c.Suites, suite) {
				t.Errorf("%s asks for %s, whose entry does not name %s", file, m[1], suite)
			}
		}
	}
}
