package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// rename replaces every "old" in a scalar.
func rename(src string) (string, error) {
	e, err := yamlfile.Edit("f", []byte(src))
	if err != nil {
		return "", err
	}
	for i, s := range e.Scalars {
		if text := strings.TrimSpace(s.Value); text == "old" && s.String {
			if err := e.Replace(i, text, "newer"); err != nil {
				return "", err
			}
		}
	}
	out, err := e.Bytes()
	return string(out), err
}

func TestEdit(t *testing.T) {
	for src, want := range map[string]string{
		"a: old # old\n":                 "a: newer # old\n",
		"a: 'old'\r\nb: \"old\"":         "a: 'newer'\r\nb: \"newer\"",
		"\ufeffa: old\n":                 "\ufeffa: newer\n",
		"é: {ü: old, old: [old]}\n":      "é: {ü: newer, newer: [newer]}\n",
		"a: &x !!str old\nb: *x\n":       "a: &x !!str newer\nb: *x\n",
		"a: |-\n  old\nb: >\n\n  old\n":  "a: |-\n  newer\nb: >\n\n  newer\n",
		"a: old\u2028b: old\n---\n- old": "a: newer\u2028b: newer\n---\n- newer",
		"a: older\nb: 1\n":               "a: older\nb: 1\n",
	} {
		if got, err := rename(src); err != nil || got != want {
			t.Errorf("%q becomes %q (%v), want %q", src, got, err, want)
		}
	}
	for src, want := range map[string]string{
		`a: "o\x6cd"`:                 "f:1:4: old cannot be replaced in place",
		"a: [":                        "f:1:1: this is not YAML",
		"a: \xff":                     "f: not YAML in UTF-8",
		"a: b\nc: *d":                 "f:2:1: the anchor &d is missing",
		"a: b\n{{- if .x }}\nc: d\n":  "f:2:1: this is a Go template, not YAML: name what its program makes of it",
		"a: b\n{{- if .Values.x }}\n": "f:2:1: this is a Helm template, not YAML: render it with helm template",
	} {
		if _, err := rename(src); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

func TestEditScalars(t *testing.T) {
	e, err := yamlfile.Edit("f", []byte("image: a\nb:\n- |\n  c\n- 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Scalars[1]; s.Field != "image" || s.Value != "a" || !s.String || s.Pos.String() != "f:1:8" {
		t.Errorf("the value is %+v", s)
	}
	if s := e.Scalars[3]; s.Field != "" || !s.Block || s.Value != "c\n" {
		t.Errorf("the block is %+v", s)
	}
	if s := e.Scalars[4]; s.String {
		t.Errorf("the number is %+v", s)
	}
}

// TestEditChangesMeaning has a replacement that YAML reads as something else.
func TestEditChangesMeaning(t *testing.T) {
	for _, replacement := range []string{"[x]", "1", "a: b", "a #b", "{", "&x"} {
		e, err := yamlfile.Edit("f", []byte("a: old\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Replace(1, "old", replacement); err != nil {
			t.Fatal(err)
		}
		if out, err := e.Bytes(); err == nil {
			t.Errorf("the result is %q", out)
		}
	}
}

// FuzzEdit replaces scalars of any file: other bytes stay.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{
		"image: &a old\nb: *a", "? old\n: |2-\n  old", "[old, \"old\"]", "\ufeffa: old\u2028b: old\r",
		"image: !!str &x\n  old", "a: >\n\n\n old\n\n",
		"%YAML 1.1\n--- old\n...\n--- !t old", "<<: [*a]", "- - - - 'old'",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := rename(string(src))
		back := func(s string) string { return strings.ReplaceAll(s, "newer", "old") }
		if err == nil && back(out) != back(string(src)) {
			t.Errorf("%q becomes %q", src, out)
		}
	})
}
