package yamlfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

type config struct {
	Name   string            `yaml:"name" jsonschema:"required"`
	Level  string            `yaml:"level" jsonschema:"enum=low,enum=high"`
	Mode   string            `yaml:"mode" jsonschema:"enum=a" yamlfile:"later"`
	List   []item            `yaml:"list" jsonschema:"minItems=1"`
	Labels map[string]string `yaml:"labels" jsonschema:"minProperties=1"`
	Any    map[string]any    `yaml:"any"`
	Item   *item             `yaml:"item"`
	Count  int               `yaml:"count"`
}

type item struct {
	Path string `yaml:"path" jsonschema:"oneof_required=path"`
	Sum  string `yaml:"sum" jsonschema:"oneof_required=path"`
	Time string `yaml:"time" jsonschema:"oneof_required=path" yamlfile:"asked"`
	URL  string `yaml:"url" jsonschema:"oneof_required=url" yamlfile:"empty"`
}

func TestDecode(t *testing.T) {
	var c config
	d := yamlfile.Decode("f", []byte(`name: demo
level: high
mode: later
list: [{path: a, sum: b}, {url: ""}]
labels: {"on": "", a: b}
any: {n: 1, l: [x, {y: z}], t: 2025-01-16}
item: {url: c}
count: 12
`), one, &c)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	want := config{
		Name: "demo", Level: "high", Mode: "later", List: []item{{Path: "a", Sum: "b"}, {}},
		Labels: map[string]string{"on": "", "a": "b"},
		Any:    map[string]any{"n": 1, "l": []any{"x", map[string]any{"y": "z"}}, "t": "2025-01-16"},
		Item:   &item{URL: "c"}, Count: 12,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var strings []string
	for _, s := range d.Strings(&c.Any) {
		strings = append(strings, s.Pos.String()+" "+s.Path+" "+s.Value)
	}
	if diff := cmp.Diff([]string{"f:6:17 l[0] x", "f:6:24 l[1].y z", "f:6:32 t 2025-01-16"}, strings); diff != "" {
		t.Errorf("strings (-want +got):\n%s", diff)
	}
	if got := d.Pos(&c.List[0].Sum).String(); got != "f:4:23" {
		t.Errorf("sum is at %s", got)
	}
	if got := d.Pos(yamlfile.Entry(&c.Labels, "a")).String(); got != "f:5:23" {
		t.Errorf("the label is at %s", got)
	}
	if d.Given(&c.List[1].Path) || !d.Given(&c.List[1].URL) || d.Bad(&c.Name) {
		t.Error("Given or Bad is wrong")
	}
	d.Errorf(&c.Item.URL, "wrong")
	d.KeyErrorf(&c.Labels, "a", "wrong key")
	compare(t, []string{"f:5:20: wrong key", "f:7:13: wrong"}, d.Errors)
}

func TestDecodeErrors(t *testing.T) {
	var c config
	d := yamlfile.Decode("f", []byte(`nam: demo
level: hgh
list: []
labels: {}
any: {n: 0x}
item: {path: a, url: b}
extra: 1
`), one, &c)
	compare(t, []string{
		`f:1:1: unknown field "nam": did you mean name?`,
		`f:2:8: unknown value "hgh": did you mean high?`,
		"f:3:7: the list is empty",
		"f:4:9: this has no entries",
		"f:6:7: path, url exclude each other",
		`f:7:1: unknown field "extra": use any, count, item, labels, level, list, mode, name`,
	}, d.Errors)
	if !d.Bad(&c.Level) || !d.Bad(&c.List) {
		t.Error("what could not be decoded is not marked")
	}

	d = yamlfile.Decode("f",
		[]byte("level: 1\nlist:\n- {path: a}\n- {sum: b}\n- text\n- {pth: c}\nlabels: [a]\nitem:\ncount: \"3\"\n"), one,
		&config{})
	compare(t, []string{
		"f:1:1: name is missing: add it",
		`f:1:8: this is a number where text should be: put it in quotes, "1"`,
		"f:3:3: sum is missing, which path needs: add it",
		"f:4:3: none of path, url is here",
		"f:5:3: this is text where fields should be",
		"f:6:3: sum is missing",
		`f:6:4: unknown field "pth": did you mean path?`,
		"f:7:9: this is a list where fields should be",
		"f:8:6: this is nothing where fields should be: give it a value, or take it out",
		"f:9:8: this is text where a whole number should be: write it in digits, without quotes",
	}, d.Errors)
}

// FuzzDecode decodes any file, with positions within the file.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"name: a\nlist: [{path: a, sum: b}]", "any: &a {b: [*a]}",
		"labels: {1: 2, [a]: b}\nname: &n x\nlevel: *n", "item: !!binary aGk=",
		"any: {b: !!binary x, c: .inf, d: 1e999}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var c config
		d := yamlfile.Decode("f", b, one, &c)
		within(t, b, d.Errors)
		if len(d.Errors) == 0 && c.Name == "" {
			t.Error("a required field is missing")
		}
	})
}
