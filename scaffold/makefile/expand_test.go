package makefile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestExpand: what is defined is put in, and all else stays as it stands.
func TestExpand(t *testing.T) {
	m := New()
	maps.Copy(m.Values, map[string]string{
		"A": "a", "AB": "$(A)b", "ABC": "${AB}c", "EMPTY": "", "DOLLAR": "$$x", "SHELL_": "$(shell date)",
		"SELF": "s$(SELF)", "X": "$(Y)", "Y": "$(X)", "OPEN": "$(A", "VERSION": "1", "TAG": "$(VERSION)", "a.b-c": "odd",
	})
	m.Keep = func(name string) bool { return name == "VERSION" }
	for text, want := range map[string]string{
		"":                    "",
		"plain":               "plain",
		"$(A)":                "a",
		"${A}":                "a",
		"$( A )":              "a",
		"$A":                  "$A",
		"$":                   "$",
		"x$":                  "x$",
		"$$(A)":               "$(A)",
		"$$$(A)":              "$a",
		"$(A":                 "$(A",
		"$(A}":                "$(A}",
		"$()":                 "$()",
		"$(ABC)-$(AB)":        "abc-ab",
		"$(EMPTY)x":           "x",
		"$(NONE)x":            "$(NONE)x",
		"$(NONE) $(A)":        "$(NONE) a",
		"$(A:a=b)":            "$(A:a=b)",
		"$(shell echo $(A))b": "$(shell echo $(A))b",
		"$(SHELL_)":           "$(shell date)",
		"$(DOLLAR)":           "$x",
		"$(OPEN)":             "$(A",
		"$(a.b-c)":            "odd",
		"$(VERSION)":          "$(VERSION)",
		"${VERSION}":          "${VERSION}",
		"$(TAG)":              "$(VERSION)",
		"$@ $< $* $(A)":       "$@ $< $* a",
	} {
		if got := m.Expand(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	for text, most := range map[string]int{"$(SELF)": 100, "$(X)": 4} {
		if got := m.Expand(text); len(got) > most || !strings.Contains(got, "$(") {
			t.Errorf("%q, which is a circle, is %q", text, got)
		}
	}
	m.Keep = nil
	if got := m.Expand("$(TAG)"); got != "1" {
		t.Errorf("a variable that is not kept is %q", got)
	}
}

// TestValue: a value is known whole, or not at all.
func TestValue(t *testing.T) {
	m := New()
	maps.Copy(m.Values, map[string]string{
		"A": "a ", "B": "$(A)-b", "C": "$(NONE)", "D": "$(shell date)", "E": "$$x", "EMPTY": "",
	})
	for name, want := range map[string]string{
		"A": "a", "B": "a -b", "C": "", "D": "", "E": "", "EMPTY": "", "NONE": "", "": "",
	} {
		if got := m.Value(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

// TestReference: a reference ends with its own bracket.
func TestReference(t *testing.T) {
	for text, want := range map[string][2]string{
		"$(A)b":            {"A", "b"},
		"${A}":             {"A", ""},
		"$( A )":           {"A", ""},
		"$(a (b) c)d)":     {"a (b) c", "d)"},
		"$(a $(b) c)d":     {"a $(b) c", "d"},
		"${a ${b}}c":       {"a ${b}", "c"},
		"$(a })b":          {"a }", "b"},
		"${a )}b":          {"a )", "b"},
		"$()x":             {"", "x"},
		"$(call f,x,$(y))": {"call f,x,$(y)", ""},
	} {
		inner, rest, ok := Reference(text)
		if !ok || inner != want[0] || rest != want[1] {
			t.Errorf("%q is %q, %q, %v", text, inner, rest, ok)
		}
	}
	for _, text := range []string{"", "$", "$(", "$A)", "$$(A)", "$(A", "$(A}", "$((A)", "${A)"} {
		if inner, rest, ok := Reference(text); ok || inner != "" || rest != "" {
			t.Errorf("%q is a reference: %q, %q", text, inner, rest)
		}
	}
}

// TestLines: a line has the number of its first one.
func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"\n":                      "1:",
		"a":                       "1:a",
		"a\nb\n":                  "1:a 2:b",
		"a\r\nb\r":                "1:a 2:b",
		"a\n\nb":                  "1:a 2: 3:b",
		"a\\\nb\nc\n":             "1:a_b 3:c",
		"a\\\n\\\nb\nc\n":         "1:a__b 4:c",
		"a\\\r\nb\nc":             "1:a_b 3:c",
		"a\\":                     "1:a_",
		"a\\\n":                   "1:a_",
		"a\\ \nb":                 "1:a\\_ 2:b",
		"\\\nb":                   "1:_b",
		strings.Repeat("\\\n", 3): "1:___",
	} {
		var got []string
		for n, line := range Lines(text) {
			got = append(got, fmt.Sprintf("%d:%s", n, strings.ReplaceAll(line, " ", "_")))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	for n := range Lines("a\nb\nc") {
		if n == 2 {
			break // which it must take
		}
	}
}

// TestAssignment: a line gives a variable a value, or it is something else.
func TestAssignment(t *testing.T) {
	for line, want := range map[string][3]string{
		"A = 1":                   {"A", "=", "1"},
		"  A=1":                   {"A", "=", "1"},
		"A ?= 1 # x":              {"A", "?=", "1 # x"},
		"A+=1":                    {"A", "+=", "1"},
		"A ::= 1":                 {"A", "::=", "1"},
		"A :::= 1":                {"A", ":::=", "1"},
		"a.b-c_d := $(x)":         {"a.b-c_d", ":=", "$(x)"},
		"A =":                     {"A", "=", ""},
		"export A = 1":            {"A", "=", "1"},
		"override  export A := 1": {"A", ":=", "1"},
		"A == 1":                  {"A", "=", "= 1"},
		"A: B = 1":                {},
		"A B = 1":                 {},
		"$(A) = 1":                {},
		"export A":                {},
		"# A = 1":                 {},
		"A != date":               {},
		"":                        {},
	} {
		name, operator, value := Assignment(line)
		if got := [3]string{name, operator, value}; got != want {
			t.Errorf("%q is %q, not %q", line, got, want)
		}
	}
}

// TestIs names files that make may read.
func TestIs(t *testing.T) {
	for _, f := range []string{"Makefile", "a/Makefile", "GNUmakefile", "a/b.mk", "Makefile.common"} {
		if !Is(f) {
			t.Errorf("%s is none", f)
		}
	}
	for _, f := range []string{"", "makefile.go", "Makefile/x", "a.mk.txt", "MyMakefile", "mk"} {
		if Is(f) {
			t.Errorf("%s is one", f)
		}
	}
}

// FuzzAdd reads Makefiles. What they become is bounded by their text, and the same each time.
func FuzzAdd(f *testing.F) {
	for _, text := range []string{
		"A = $(B)\nB := $(A)$(A)\nLDFLAGS = -X main.v=$(A)\nifdef X\nendif\nelse\n",
		"all: a b; x\n\ty \\\n\tz $(A)\n%.o a-%: $(A)\n\tcc $<\n", "include Makefile *.mk a/../b $(A)\n-include x\n",
		"define A\nB = 1\nendef\nexport override A ?= 1\n", "A := ${A} $(A) $$ $( ${\nA += $(A)\n", "\\\n\\\n\t\\",
		"ifeq (a,b)\nA = 1\nelse ifneq (c,d)\nA = 2\nelse\nendif\nendif\nA = 3 # c\n", "a:::b\n:c\n\t\n=d\n",
	} {
		f.Add(text, "$(A) ${B}$$")
	}
	f.Fuzz(func(t *testing.T, text, expand string) {
		if len(text)+len(expand) > 1<<12 {
			return
		}
		tree := files{"Makefile": text, "a.mk": expand, "b.mk": "include Makefile\n" + text}
		m := New()
		m.Add("Makefile", tree)
		if len(m.Files) > len(tree) || len(m.Values) > 2*len(text)+len(expand) {
			t.Errorf("%d files, %d variables", len(m.Files), len(m.Values))
		}
		for name, value := range m.Values {
			if len(value) > maxExpanded || name == "" || m.At[name].Number < 1 {
				t.Errorf("%q of line %d has %d bytes", name, m.At[name].Number, len(value))
			}
		}
		for _, r := range m.Recipes {
			if r.Text == "" || r.At.Number < 1 || r.At.Number > strings.Count(tree[r.At.File], "\n")+1 {
				t.Errorf("%+v", r)
			}
		}
		again := New()
		again.Add("Makefile", tree)
		if !slices.Equal(shown(m), shown(again)) {
			t.Error("it differs the second time")
		}
		once := m.Expand(expand)
		if len(once) > len(expand)+4*maxExpanded || once != again.Expand(expand) {
			t.Errorf("%d bytes become %d", len(expand), len(once))
		}
	})
}
