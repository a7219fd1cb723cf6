package yamlfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// limits are those of a format that allows everything.
var limits = yamlfile.Options{
	MaxBytes: 1 << 20, MaxValues: 2000, MaxText: 1 << 20, MaxDepth: 20,
	MergeKeys: true, Stream: true,
}

// one is the options of a format of one document without merge keys.
var one = yamlfile.Options{MaxBytes: 1 << 20, MaxValues: 2000, MaxText: 1 << 20, MaxDepth: 20, Start: "start with name"}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          yamlfile.Options
		want       []string // errors
		json       []string // documents
	}{
		{"stream", "a: 1\n---\n---\nb: [x, 'yes', yes]\n", limits, nil, []string{`{"a":1}`, `{"b":["x","yes",true]}`}},
		{"empty stream", "# nothing\n", limits, nil, nil},
		{
			"aliases", "a: &a {b: c}\nd: *a\ne: [*a]\n",
			one, nil,
			[]string{`{"a":{"b":"c"},"d":{"b":"c"},"e":[{"b":"c"}]}`},
		},
		{
			"merge", "a: &a {b: c, d: e}\nf: {<<: *a, d: g}\nh: {<<: [{b: i}, *a]}\n", limits, nil,
			[]string{`{"a":{"b":"c","d":"e"},"f":{"d":"g","b":"c"},"h":{"b":"i","d":"e"}}`},
		},
		{"keys of YAML 1.1", "on: a\n1: b\n", limits, nil, []string{`{"true":"a","1":"b"}`}},
		{"empty", "", one, []string{"f:1:1: the file is empty: start with name"}, nil},
		{
			"two documents", "a: 1\n---\nb: 2\n", one,
			[]string{"f:3:1: a second YAML document starts here"},
			[]string{`{"a":1}`},
		},
		{
			"merge keys refused", "a: {<<: {b: c}}\n", one,
			[]string{"f:1:5: merge keys are not supported here"},
			[]string{`{"a":{}}`},
		},
		{"merge of text", "a: {<<: b}\n", limits, []string{"f:1:9: << needs fields"}, nil},
		{
			"all errors", "a: 1\na: 2\nb: {[x]: y}\nc: !env d\n",
			one,
			[]string{
				`f:2:1: duplicate key "a", first on line 1`, "f:3:5: this is a list where a name should be",
				"f:4:4: the tag !env is not one of YAML's",
			},
			[]string{`{"a":1,"b":{},"c":"d"}`},
		},
		{
			"the document with errors is dropped", "a: 1\na: 2\n---\nb: 3\n", limits,
			[]string{`f:2:1: duplicate key "a"`},
			[]string{`{"b":3}`},
		},
		{"cycle", "a: &a [*a]\n", limits, []string{"f:1:8: the alias *a is part of the value that it repeats"}, nil},
		{"no anchor", "a:\n  b: *c\n", one, []string{"f:2:3: the anchor &c is missing"}, nil},
		{
			"syntax", "a: b\n  c: d\n",
			one,
			[]string{"f:2:3: this is not YAML (mapping values are not allowed in this context)"},
			nil,
		},
		{"not UTF-8", "é: \xff\n", one, []string{"f:1:4: byte 0xff is not UTF-8"}, nil},
		{"control", "a: \a\n", one, []string{"f:1:4: control character U+0007"}, nil},
		{"large", strings.Repeat("#\n", 1<<20), one, []string{"f:1:1: the file has more than 1 MiB"}, nil},
		{
			"deep", strings.Repeat("[", 30) + strings.Repeat("]", 30), limits,
			[]string{"f:1:22: values nest more than 20 deep"},
			nil,
		},
		{
			"laughs", laughs(9),
			limits,
			[]string{"f:4:15: the file has more than 2000 values, including those that aliases repeat"},
			nil,
		},
		{
			"merged laughs", "a: &a {" + keys(500) + "}\nb: {<<: [*a, *a, *a, *a, *a]}\n",
			limits,
			[]string{"f:2:18: the file has more than 2000 values, including those that << repeats"},
			nil,
		},
		{
			"text", "a: &a " + strings.Repeat("x", 600<<10) + "\nb: *a\n", limits,
			[]string{"f:2:4: the file has more than 1 MiB of text"},
			nil,
		},
		{
			"text of two documents", strings.Repeat("---\na: &a "+strings.Repeat("x", 300<<10)+"\nb: *a\n", 2),
			limits,
			[]string{"f:6:4: the file has more than 1 MiB of text"},
			[]string{"300 KiB twice"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := yamlfile.Read("f", []byte(tt.text), tt.o)
			var got []string
			for _, n := range f.Documents {
				j := string(yamlfile.AppendJSON(nil, n, nil))
				if len(j) > 500<<10 {
					j = "300 KiB twice"
				}
				got = append(got, j)
			}
			if d := cmp.Diff(tt.json, got); d != "" {
				t.Errorf("documents (-want +got):\n%s", d)
			}
			compare(t, tt.want, f.Errors)
		})
	}
}

// laughs returns a list of lists of lists, each repeated by the next line.
func laughs(lines int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range lines {
		fmt.Fprintf(&b, "a%d: &a%[1]d [%s*a%[3]d]\n", i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	return b.String()
}

func keys(n int) string {
	all := make([]string, 0, n)
	for i := range n {
		all = append(all, fmt.Sprintf("k%d: v", i))
	}
	return strings.Join(all, ", ")
}

// compare checks that each error starts with the text that is wanted.
func compare(t *testing.T, want []string, errs yamlfile.Errors) {
	t.Helper()
	sorted := errs.Sorted()
	if len(sorted) != len(want) {
		t.Fatalf("%d errors, want %d:\n%v", len(sorted), len(want), errs.Err())
	}
	for i, e := range sorted {
		if !strings.HasPrefix(e.Error(), want[i]) {
			t.Errorf("error %d is\n%v, want\n%s", i, e, want[i])
		}
	}
}

func TestFind(t *testing.T) {
	f := yamlfile.Read("f", []byte("a:\n  b: &b\n  - {c.d: e, f: 1}\ng: *b\n"), limits)
	root := f.Documents[0]
	if got := yamlfile.Text(root, "a", "b", 0, "c.d"); got != "e" {
		t.Errorf("the text is %q", got)
	}
	if got := yamlfile.Text(root, "a", "b", 0, "f"); got != "" {
		t.Errorf("a number is the text %q", got)
	}
	if yamlfile.Value(root, "a", "b", 1) != nil {
		t.Error("an item is found that does not exist")
	}
	if _, place, found := yamlfile.Find(root, "a", "b", 0, "x", "y"); found || f.Pos(place).String() != "f:3:5" {
		t.Errorf("the nearest value is at %v", f.Pos(place))
	}
	if _, place, _ := yamlfile.Find(root, "g"); f.Pos(place).String() != "f:4:1" {
		t.Errorf("the field is at %v", f.Pos(place))
	}
	if got := f.Pos(yamlfile.Value(root, "g")).String(); got != "f:4:4" {
		t.Errorf("an aliased value is at %s", got)
	}
	if got := yamlfile.Path("items[0]", "a", "b", 0, "c.d", ""); got != `items[0].a.b[0]["c.d"][""]` {
		t.Errorf("the path is %s", got)
	}
}

func TestErrors(t *testing.T) {
	var e yamlfile.Errors
	at := func(file string, line, column int) yamlfile.Pos {
		return yamlfile.Pos{File: file, Line: line, Column: column}
	}
	e.At(at("b", 2, 1), "third")
	e.At(at("b", 1, 9), "second")
	e.At(at("a", 1, 1), "fourth")
	e.At(at("b", 2, 1), "third")
	e.At(yamlfile.Pos{}, "first")
	compare(t, []string{"first", "b:1:9: second", "b:2:1: third", "a:1:1: fourth"}, e)
	for range 5000 {
		e.At(at("c", len(e), 1), "%s", strings.Repeat("x", 5000))
	}
	if len(e) != 1000 || len(e[999].Text) > 2100 {
		t.Errorf("%d errors, the last of %d bytes", len(e), len(e[999].Text))
	}
	if (yamlfile.Errors{}).Err() != nil {
		t.Error("no errors are an error")
	}
}

func TestNotRendered(t *testing.T) {
	if err := yamlfile.NotRendered("f", []byte("a: b\né: {{ .Values.a }}\n")); err == nil ||
		err.Pos.String() != "f:2:4" {
		t.Errorf("got %v", err)
	}
	if err := yamlfile.NotRendered("f", []byte("a: '{{ }}'\n")); err != nil {
		t.Errorf("got %v", err)
	}
}

// FuzzRead reads any file, or refuses it, the same each time, with positions within the file.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"a: &a [*a]", "a: {<<: [{b: c}]}\n---\nd: e", "- !x y\n- ? [a]\n",
		"a: b\r\n\u2028c: d", laughs(3), "a: \"\\x1b%!\"", "1: a\n'1': b", "%YAML 1.1\n--- yes\n...",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, o := range []yamlfile.Options{limits, one} {
			file := yamlfile.Read("f", b, o)
			if again := yamlfile.Read("f", b, o); fmt.Sprint(again.Err()) != fmt.Sprint(file.Err()) ||
				len(again.Documents) != len(file.Documents) {
				t.Fatalf("the second time the errors are\n%v\nafter\n%v", again.Err(), file.Err())
			}
			within(t, b, file.Errors)
			for _, n := range file.Documents {
				if j := yamlfile.AppendJSON(nil, n, nil); len(j) > 40<<20 {
					t.Errorf("%d bytes become %d", len(b), len(j))
				}
			}
		}
	})
}

// within checks the positions and texts of errors in a file.
func within(t *testing.T, b []byte, errs yamlfile.Errors) {
	t.Helper()
	lines := strings.Count(string(b), "\n") + strings.Count(string(b), "\r") + 2 + strings.Count(string(b), "\u0085") +
		strings.Count(string(b), "\u2028") + strings.Count(string(b), "\u2029")
	for _, e := range errs {
		if e.Pos.Line < 1 || e.Pos.Column < 1 || e.Pos.Line > lines || strings.Contains(e.Text, "%!(") {
			t.Errorf("bad error %v", e)
		}
	}
}
