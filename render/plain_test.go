package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/render/workload"
)

// odd are manifests whose texts other readers of YAML change.
var odd = map[string]string{
	"quotes": "data: {a: \"yes\", b: \"on\", c: \"0777\", d: '1.10', e: \"null\", f: \"~\", g: " +
		"'', h: \"2024-01-01\", i: \"1e3\", j: \"0x1f\", k: \"12:30:45\", l: \"y\", m: \"=\", n: " +
		"\"<<\", o: \"- a\", p: \"a: b\", q: \"#\", r: \" a \", s: \"a\\tb\\u00e9\\n\"}\n",
	"plain": "spec: {a: yes, b: on, c: 0777, d: 1.10, e: null, f: ~, h: 2024-01-01, i: 1e3, j: " +
		"0x1f, k: 12:30:45, l: y, o: 0o17, p: +1, q: .5, r: 1_000, s: -0, t: !!str 12}\n",
	"numbers": "spec: {a: 9223372036854775807, b: -9223372036854775808, c: 18446744073709551615, d: " +
		"123456789012345678901234567890, e: 0.1, f: 1.0, g: 1e400000, h: 100000000000000000000.5}\n",
	"comments": "#! one\n# two\n#three\nspec: # @four\n  #-- five\n  a: b # @six\n  ## seven\n",
	"anchors":  "base: &base {a: 1, b: [x, y]}\nspec:\n  c: *base\n  d:\n    <<: *base\n    a: 2\n",
	"blocks": "data:\n  a: |\n    #@ load(\"@ytt:data\", " +
		"\"data\")\n    #! not a comment\n      indented\n\n    last\n  b: " +
		"|-\n    (@ x @)\n  c: |+\n    kept\n\n  d: " +
		">-\n    folded\n    text\n\n    more\n  e: |2\n      first\n    second\n  f: \"---\\n\"\n",
	"carriage": "spec:\r\n  a: b\r\n  c: |\r\n    d\r\n    e\r\n",
	"keys":     "data: {\"yes\": a, \"1\": b, \"1.5\": c, \"\": d, 'a b': e, \"null\": f, true: g, 2: h}\n",
	"empty":    "spec: {a: {}, b: [], c: \"\", d: }\n",
	"unicode":  "data: {a: \"\\U0001F600 ü\", b: 日本語, c: \"\\u2028\"}\n",
}

// TestLossless checks that a cluster reads from release.yaml what it reads from plain manifests.
func TestLossless(t *testing.T) {
	texts := map[string]string{
		"documents": "---\n# nothing\n---\n" + object("one", "") + "---\n---\n" + object("two", "") +
			"...\n---\n" + object("three", ""),
		"large": object("large", "spec: {description: \""+strings.Repeat("a long description, ", 10_000)+"\"}\n"),
	}
	for name, text := range odd {
		texts[name] = object(name, text)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) { lossless(t, text) })
	}
}

// FuzzLossless checks that of any manifest that a cluster reads and render takes.
func FuzzLossless(f *testing.F) {
	for name, text := range odd {
		f.Add(object(name, text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "#@") || strings.Contains(text, "@sha256:") ||
			workload.Syntax("a.yaml", []byte(text)) != nil {
			return
		}
		if _, err := clusterReads(text); err != nil {
			return
		}
		p, l := rendertest.Small(t, map[string]string{"a.yaml": text})
		if _, err := render.Render(t.Context(), p, l, render.Options{}); err == nil {
			lossless(t, text)
		}
	})
}

// object returns a custom resource with more fields.
func object(name, fields string) string {
	return fmt.Sprintf("apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: %s}\n%s", name, fields)
}

func lossless(t *testing.T, text string) {
	t.Helper()
	p, l := rendertest.Small(t, map[string]string{"a.yaml": text})
	m, err := render.Render(t.Context(), p, l, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := clusterReads(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := clusterReads(string(m.Text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" || len(want) == 0 {
		t.Errorf("of\n%s\nrelease.yaml has\n%s\n%s", text, m.Text, d)
	}
}

// clusterReads returns the objects of a text by name, as kubectl reads them.
func clusterReads(text string) (map[string]any, error) {
	all := map[string]any{}
	for dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096); ; {
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case err == io.EOF: //nolint:errorlint // Decode returns it bare
			return all, nil
		case err != nil:
			return nil, err
		}
		var o map[string]any
		if err := json.Unmarshal(raw, &o); err != nil || len(o) == 0 {
			continue
		}
		all[fmt.Sprint(o["metadata"])] = o
	}
}
