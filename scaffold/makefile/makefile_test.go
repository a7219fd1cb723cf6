package makefile

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// files is a repository by the names of its files.
type files map[string]string

func (f files) Text(name string) []byte {
	if text, ok := f[name]; ok {
		return []byte(text)
	}
	return nil
}

func (f files) Match(pattern string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if ok, _ := path.Match(pattern, name); ok {
			list = append(list, name)
		}
	}
	return list
}

// reading reads the Makefile of an archive, which may begin without its name.
func reading(text string) *File {
	tree := files{}
	a := txtar.Parse([]byte(text))
	if len(a.Comment) > 0 {
		tree["Makefile"] = string(a.Comment)
	}
	for _, f := range a.Files {
		tree[f.Name] = string(f.Data)
	}
	m := New()
	m.Add("Makefile", tree)
	return m
}

// shown is what a Makefile defines: variables and targets with their lines, sorted.
func shown(m *File) (list []string) {
	for name, value := range m.Values {
		list = append(list, fmt.Sprintf("%d %s = %s", m.At[name].Number, name, value))
	}
	for name, target := range m.Targets {
		line := name + ": " + strings.Join(target.Needs, " ")
		for _, r := range target.Recipes {
			line += fmt.Sprintf(" | %d %s", r.At.Number, r.Text)
			if r.Target != name {
				line += " of " + r.Target
			}
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// TestAdd: variables are as the last line that surely counts gives them, and targets have all that
// they need.
func TestAdd(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":            {"", nil},
		"kinds of variables": {"A = 1\nB := 2\nC ::= 3\nD:::=4\nE ?= 5\nF += 6\n", []string{"1 A = 1", "2 B = 2", "3 C = 3", "4 D = 4", "5 E = 5", "6 F = 6"}},
		"the last one":       {"A = 1\nA = 2\n", []string{"2 A = 2"}},
		"a default":          {"A = 1\nA ?= 2\n", []string{"1 A = 1"}},
		"more":               {"A = 1\nA += 2\nA += 3\n", []string{"3 A = 1 2 3"}},
		"of itself":          {"A = 1\nA := $(A) 2\nA := 0 ${A}\n", []string{"3 A = 0 1 2"}},
		"exported":           {"export A = 1\noverride B = 2\nexport override C = 3\nexport D\n", []string{"1 A = 1", "2 B = 2", "3 C = 3"}},
		"not expanded":       {"A = $(B)\nB = x\n", []string{"1 A = $(B)", "2 B = x"}},
		"a value with signs": {"A:=b:c=d\nLDFLAGS = -X a.b=c\n", []string{"1 A = b:c=d", "2 LDFLAGS = -X a.b=c"}},
		"a comment after it": {"A = 1 # B = 2\n# C = 3\n", []string{"1 A = 1"}},
		"several lines":      {"A = 1 \\\n2\nB = 3\n", []string{"1 A = 1 2", "3 B = 3"}},
		"a shell's value":    {"A != date\n", nil},
		"within a condition": {"ifdef X\n  A = 1\nendif\n", []string{"2 A = 1"}},
		"one of two values":  {"ifeq ($(X),)\nA = 1\nelse\nA = 2\nendif\nB = 3\n", []string{"6 B = 3"}},
		"one of three":       {"ifdef X\nA = 1\nelse ifdef Y\nA = 2\nelse\nA = 1\nendif\n", nil},
		"a second value":     {"A = 1\nifneq (a,b)\nA = 2\nendif\n", nil},
		"the same value":     {"A = 1\nifndef X\nA = 1\nendif\n", []string{"3 A = 1"}},
		"surely after all":   {"ifdef X\nA = 1\nelse\nA = 2\nendif\nA = 3\n", []string{"6 A = 3"}},
		"inner conditions":   {"A = 1\nifdef X\nifdef Y\nendif\nA = 2\nendif\n", nil},
		"a target":           {"all: a b\n\tgo build\n\n\tgo test\n", []string{"all: a b | 2 go build | 4 go test"}},
		"more needs":         {"a: b\na: c\n\tx\n", []string{"a: b c | 3 x"}},
		"several targets":    {"a b: c\n\tx\n", []string{"a: c | 2 x", "b: c | 2 x"}},
		"a pattern":          {"push-%: build-%\n\tpush $*\n", []string{"push-%: build-% | 2 push $*"}},
		"two colons":         {"a:: b\n\tx\n", []string{"a: b | 2 x"}},
		"on one line":        {"a: b; x\n\ty\n", []string{"a: b | 1 x | 2 y"}},
		"without needs":      {"a:\n\tx\n", []string{"a:  | 2 x"}},
		"a comment between":  {"a:\n# why\n\tx\n", []string{"a:  | 3 x"}},
		"a variable in it":   {"B = x\nimage-$(B): $(B)\n\ty $(B)\n", []string{"1 B = x", "image-x: $(B) | 3 y $(B)"}},
		"lines of a recipe":  {"a:\n\tx \\\n\ty\n\tz\n", []string{"a:  | 2 x y | 4 z"}},
		"lines of Windows":   {"A = 1\r\na: b\r\n\tx\r\n", []string{"1 A = 1", "a: b | 3 x"}},
		"no rule":            {"$(error x: y)\n-: \n=: b\n", []string{"-: "}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, shown(reading(tc.text))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestRecipes: all recipes are in one list, each with its first target and where it is.
func TestRecipes(t *testing.T) {
	m := reading("\tnobody's\na b:\n\tx\n\t\ninclude more.mk\nc:\n\ty\n-- more.mk --\nd:\n\tz\n")
	want := []Recipe{
		{"", "nobody's", Line{"Makefile", 1}},
		{"a", "x", Line{"Makefile", 3}},
		{"d", "z", Line{"more.mk", 2}},
		{"c", "y", Line{"Makefile", 7}},
	}
	if d := cmp.Diff(want, m.Recipes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestIncluded: what a Makefile includes is read in its place, once, next to it and in the root.
func TestIncluded(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		value string
		read  []string
	}{
		"none":                {"A = 1\ninclude none.mk\n", "1", []string{"Makefile"}},
		"one":                 {"A = 1\ninclude a.mk\n-- a.mk --\nA = 2\n", "2", []string{"Makefile", "a.mk"}},
		"the last one counts": {"include a.mk\nA = 1\n-- a.mk --\nA = 2\n", "1", []string{"Makefile", "a.mk"}},
		"with a sign":         {"-include a.mk\nsinclude b.mk\n-- a.mk --\nA = 1\n-- b.mk --\nA += 2\n", "1 2", []string{"Makefile", "a.mk", "b.mk"}},
		"several":             {"include a.mk b.mk\n-- a.mk --\nA = 1\n-- b.mk --\nA += 2\n", "1 2", []string{"Makefile", "a.mk", "b.mk"}},
		"a pattern":           {"include make/*.mk\n-- make/a.mk --\nA = 1\n-- make/b.mk --\nA += 2\n", "1 2", []string{"Makefile", "make/a.mk", "make/b.mk"}},
		"a variable":          {"D = make\ninclude $(D)/a.mk\n-- make/a.mk --\nA = 1\n", "1", []string{"Makefile", "make/a.mk"}},
		"a circle":            {"include a.mk\n-- a.mk --\nA += 1\ninclude Makefile a.mk\n", "1", []string{"Makefile", "a.mk"}},
		"next to it": {
			"include make/a.mk\n-- make/a.mk --\ninclude b.mk\n-- make/b.mk --\nA = 1\n", "1",
			[]string{"Makefile", "make/a.mk", "make/b.mk"},
		},
		"not outside": {"include ../a.mk /etc/a.mk\nA = 1\n-- a.mk --\nA = 2\n", "1", []string{"Makefile"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := reading(tc.text)
			if got := m.Value("A"); got != tc.value {
				t.Errorf("A is %q, not %q", got, tc.value)
			}
			if d := cmp.Diff(tc.read, slices.Sorted(maps.Keys(m.Files))); d != "" {
				t.Errorf("files that are read (-want +got):\n%s", d)
			}
		})
	}
}

// TestBounds: of many files some are read, and a variable that is too long stays as it was.
func TestBounds(t *testing.T) {
	tree := files{"Makefile": "include *.mk\n"}
	for i := range 2 * maxFiles {
		tree[fmt.Sprintf("%03d.mk", i)] = ""
	}
	m := New()
	m.Add("Makefile", tree)
	if len(m.Files) != maxFiles {
		t.Errorf("%d files are read", len(m.Files))
	}
	m = reading("A = " + strings.Repeat("x", maxExpanded) + "\nA += y\nB = " + strings.Repeat("x", maxExpanded+1) + "\n")
	if n := len(m.Values["A"]); n != maxExpanded || m.At["A"].Number != 1 {
		t.Errorf("A has %d bytes, of line %d", n, m.At["A"].Number)
	}
	if _, ok := m.Values["B"]; ok {
		t.Error("B has a value")
	}
	m.Values["A"] = strings.Repeat("x", maxExpanded)
	if n := len(m.Expand(strings.Repeat("$(A)", 1000))); n > 3*maxExpanded {
		t.Errorf("1000 times the longest is %d bytes", n)
	}
}
