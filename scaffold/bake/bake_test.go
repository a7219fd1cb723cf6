package bake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// given is what a release gives: VERSION, and otherwise the default.
func given(name, def string) string {
	switch {
	case name == "VERSION":
		return "{{.Version}}"
	case def == "":
		return "${" + name + "}"
	}
	return def
}

// shown are targets as text, without what they do not have. Those of one block are sorted.
func shown(targets []Target) (list []string) {
	for _, t := range targets {
		var b strings.Builder
		fmt.Fprintf(&b, "%d %s:", t.Line, t.Label)
		for _, f := range []struct{ name, value string }{
			{"file", t.Dockerfile},
			{"context", t.Context},
			{"target", t.Target},
			{"tags", strings.Join(t.Tags, ",")},
			{"platforms", strings.Join(t.Platforms, ",")},
		} {
			if f.value != "" {
				fmt.Fprintf(&b, " %s=%s", f.name, f.value)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(t.Args)) {
			fmt.Fprintf(&b, " %s:%s", key, t.Args[key])
		}
		list = append(list, b.String())
	}
	return list
}

// TestRead: a target has what it and those that it inherits say, for each set of its matrix.
func TestRead(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":         {"", nil},
		"no HCL":          {"{\"target\": \x00", nil},
		"other blocks":    {"function \"f\" {\n params = []\n}\ntarget {}\ntarget \"a\" \"b\" {}\nx \"y\" {}\n", nil},
		"an empty target": {"\n\ntarget \"a\" {}\n", []string{"3 a:"}},
		"all of a target": {
			`target "a" {
  dockerfile = "d"
  context = "c"
  target = "t"
  tags = ["r/a:1", "r/b:2"]
  platforms = ["linux/amd64", "linux/arm64"]
  args = { A = "1", B = 2, C = true, D = false, "E" = 1.5 }
}`,
			[]string{"1 a: file=d context=c target=t tags=r/a:1,r/b:2 platforms=linux/amd64,linux/arm64 A:1 B:2 C:true D:false E:1.5"},
		},
		"variables":            {"variable \"A\" { default = \"a\" }\nvariable \"B\" { default = \"${A}b\" }\ntarget \"x\" { context = \"${B}-${A}\" }", []string{"3 x: context=ab-a"}},
		"variables of numbers": {"variable \"A\" { default = 1 }\nvariable \"B\" { default = true }\ntarget \"x\" { context = \"${A}${B}\" }", []string{"3 x: context=1true"}},
		"without a default":    {"variable \"A\" {}\ntarget \"x\" { context = \"a/${A}\" }", []string{"2 x: context=a/${A}"}},
		"of a release":         {"variable \"VERSION\" { default = \"main\" }\ntarget \"x\" { tags = [\"a:${VERSION}\", VERSION] }", []string{"2 x: tags=a:{{.Version}},{{.Version}}"}},
		"defined afterwards":   {"target \"x\" { context = A }\nvariable \"A\" { default = \"a\" }", []string{"1 x: context=a"}},
		"a condition":          {"variable \"A\" { default = \"a\" }\ntarget \"x\" { context = A == \"a\" ? \"b\" : \"c\" }", []string{"2 x: context=b"}},
		"not defined":          {"target \"x\" {\n context = A\n tags = [\"a:${A}\"]\n}", []string{`1 x: context=$(A) tags=$("a:${A}")`}},
		"a function":           {"target \"x\" {\n tags = [notequal(\"\", \"a\")  ?\t\"a\":\"b\"]\n platforms = split(\",\", \"a\")\n}", []string{`1 x: tags=$(notequal("", "a") ? "a":"b") platforms=$(split(",", "a"))`}},
		"inherited": {
			"target \"a\" {\n context = \"c\"\n target = \"t\"\n tags = [\"x\"]\n args = { A = 1, B = 2 }\n}\ntarget \"b\" {\n inherits = [\"a\"]\n target = \"u\"\n args = { B = 3 }\n}",
			[]string{"1 a: context=c target=t tags=x A:1 B:2", "7 b: context=c target=u tags=x A:1 B:3"},
		},
		"the last one inherited": {
			"target \"a\" { target = \"1\" }\ntarget \"b\" { target = \"2\" }\ntarget \"c\" { inherits = [\"a\", \"b\", \"none\"] }",
			[]string{"1 a: target=1", "2 b: target=2", "3 c: target=2"},
		},
		"inherited twice": {
			"target \"c\" { inherits = [\"b\"] }\ntarget \"b\" { inherits = [\"a\"] }\ntarget \"a\" { target = \"1\" }",
			[]string{"1 c: target=1", "2 b: target=1", "3 a: target=1"},
		},
		"a circle":      {"target \"a\" {\n inherits = [\"b\"]\n}\ntarget \"b\" {\n inherits = [\"a\", \"b\"]\n context = \"c\"\n}", []string{"1 a: context=c", "4 b: context=c"}},
		"of a variable": {"variable \"A\" { default = \"a\" }\ntarget \"a\" { target = \"t\" }\ntarget \"b\" { inherits = [A] }", []string{"2 a: target=t", "3 b: target=t"}},
		"a matrix": {
			"target \"a\" {\n matrix = { v = [\"1\", 2] }\n target = \"t${v}\"\n args = { V = v }\n}",
			[]string{"1 a: target=t1 V:1", "1 a: target=t2 V:2"},
		},
		"a matrix that is inherited": {
			"target \"b\" { context = \"c-${v}\" }\ntarget \"a\" {\n inherits = [\"b\"]\n matrix = { v = [\"1\", \"2\"] }\n}",
			[]string{`1 b: context=$("c-${v}")`, "2 a: context=c-1", "2 a: context=c-2"},
		},
		"a matrix of objects":    {"target \"a\" {\n matrix = { o = [{ t = \"x\" }, { t = \"y\" }] }\n target = o.t\n}", []string{"1 a: target=x", "1 a: target=y"}},
		"a matrix of a variable": {"variable \"A\" { default = \"a\" }\ntarget \"b\" {\n matrix = { v = [A, \"b\"] }\n target = v\n}", []string{"2 b: target=a", "2 b: target=b"}},
		"a matrix not known":     {"target \"a\" { matrix = { v = f() } }\ntarget \"b\" { matrix = A }", []string{"1 a:", "2 b:"}},
		"a matrix that is none":  {"target \"a\" { matrix = [\"x\"] }\ntarget \"b\" { matrix = \"x\" }\ntarget \"c\" { matrix = null }", []string{"1 a:", "2 b:", "3 c:"}},
		"lists that are none":    {"target \"a\" { matrix = { v = { w = \"x\" } } }\ntarget \"b\" { matrix = { v = \"x\" } }\ntarget \"c\" { matrix = { v = null } }", []string{"1 a:", "2 b:", "3 c:"}},
		"after a mistake":        {"target \"a\" { context = \"c\" }\ntarget \"b\" {\n context = \n", []string{"1 a: context=c", "2 b: context=$()"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Read("docker-bake.hcl", []byte(tc.text), given)
			if d := cmp.Diff(tc.want, shown(f.Targets)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestGiven: a variable is asked for once, with its default.
func TestGiven(t *testing.T) {
	var asked []string
	Read("x.hcl", []byte("variable \"A\" { default = \"a\" }\nvariable \"B\" {}\nvariable \"C\" { default = f() }\ntarget \"x\" { tags = [A, A, B] }"),
		func(name, def string) string {
			asked = append(asked, name+"="+def)
			return def
		})
	if want := []string{"A=a", "B=", "C=$(f())"}; !slices.Equal(asked, want) {
		t.Errorf("it is asked %q, and not %q", asked, want)
	}
}

// TestCalled: what is called are names, what their groups name, or else the default.
func TestCalled(t *testing.T) {
	const groups = `group "default" { targets = ["a", "all"] }
group "all" { targets = ["b", "inner"] }
group "inner" { targets = ["c", "all"] }
`
	const targets = "target \"a\" {}\ntarget \"b\" {}\ntarget \"c\" {}\ntarget \"d\" {}\n"
	for name, tc := range map[string]struct {
		text  string
		names []string
		want  []string
	}{
		"the default":           {groups + targets, nil, []string{"a", "all", "b", "c", "default", "inner"}},
		"a target":              {groups + targets, []string{"d"}, []string{"d"}},
		"targets":               {groups + targets, []string{"a", "d"}, []string{"a", "d"}},
		"a group in a circle":   {groups + targets, []string{"inner"}, []string{"all", "b", "c", "inner"}},
		"no default":            {targets, nil, []string{"a", "b", "c", "d", "default"}},
		"a default by its name": {targets, []string{"default"}, []string{"a", "b", "c", "d", "default"}},
		"a default of a target": {targets + "target \"default\" {}", nil, []string{"default"}},
		"one that is not there": {targets, []string{"x"}, []string{"x"}},
		"a group of a variable": {"variable \"A\" { default = \"b\" }\ngroup \"g\" { targets = [A] }", []string{"g"}, []string{"b", "g"}},
		"nothing":               {"", nil, []string{"default"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(Read("x.hcl", []byte(tc.text), given).Called(tc.names)))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestMatrixBound: a matrix makes so many targets and no more.
func TestMatrixBound(t *testing.T) {
	list := "[" + strings.Repeat("\"x\", ", maxMatrix-1) + "\"x\"]"
	for text, want := range map[string]int{
		"v = " + list:                          maxMatrix,
		"v = " + list + ", w = [\"1\"]":        maxMatrix,
		"v = " + list + ", w = [\"1\", \"2\"]": maxMatrix,
		"v = " + list + ", w = " + list:        maxMatrix,
		"v = [\"1\", \"2\"], w = [\"1\"]":      2,
		"v = [\"1\", \"2\"], w = [\"1\", 2]":   4,
	} {
		f := Read("x.hcl", []byte("target \"a\" { matrix = {"+text+"} }"), given)
		if len(f.Targets) != want {
			t.Errorf("%.60s makes %d targets, not %d", text, len(f.Targets), want)
		}
	}
}

// FuzzRead reads bake files. Each target stands in the text, and all are the same each time.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"variable \"A\" { default = \"x\" }\ntarget \"a\" {\n inherits = [\"a\", \"b\"]\n args = { A = \"${A}\" }\n}\n",
		"group \"default\" { targets = [\"a\", \"default\"] }\ntarget \"a\" { tags = [\"x:${upper(A)}\", null, 1, [], {}] }\n",
		"target \"a\" { matrix = { v = [\"1\", 2, null, true], w = [{ x = 1 }], y = {}, z = \"\" }\n target = v\n context = w.x }\n",
		"target \"a\" { matrix = [\"x\"] }\ntarget \"a\" { matrix = { a = { b = 1 } } }\ntarget \"a\" { matrix = true ? { a = [] } : { b = [1] } }\n",
		"target \"a\" { args = { (\"b\") = [for x in [1]: x], c = <<E\nd\nE\n } }\n", "target \"a\" {\n context = \n", "{\"target\": {\"a\": {}}}",
		"variable \"\" {}\nvariable \"(\" { default = null }\ntarget \"a\" { context = a[*].b[\"c\"].0 }\n", "target \"a\" { platforms = x ? [\"a\"] : null\n tags = 1 }",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<10 {
			return
		}
		file := Read("x.hcl", text, given)
		for _, target := range file.Targets {
			if target.Line < 1 || target.Line > strings.Count(string(text), "\n")+1 || target.Args == nil {
				t.Errorf("%+v", target)
			}
		}
		if blocks := strings.Count(string(text), "target"); len(file.Targets) > blocks*maxMatrix {
			t.Errorf("%d targets", len(file.Targets))
		}
		again := Read("x.hcl", text, given)
		// The order of a matrix of several lists is not the same each time.
		one, two := shown(file.Targets), shown(again.Targets)
		slices.Sort(one)
		slices.Sort(two)
		if len(one) < maxMatrix && !slices.Equal(one, two) {
			t.Errorf("it differs the second time:\n%q\n%q", one, two)
		}
		if !maps.Equal(file.Called(nil), again.Called(nil)) {
			t.Error("what is called differs the second time")
		}
	})
}
