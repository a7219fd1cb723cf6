package lint_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/lint"
)

// FuzzCheck checks manifests of unknown origin: whatever the bytes, every finding has a place in
// the file, and every output is whole.
func FuzzCheck(f *testing.F) {
	archives, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(a.Files[0].Data)
	}
	for _, s := range []string{
		pods, "# slipway:allow\n", "a: |\n # slipway:allow a b",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: &s {containers: *s}\n",
		"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: " +
			"Pod, metadata: {name: \"a\n\n b # slipway:allow\"}, spec: {containers: [{image: a}]}}\n",
	} {
		f.Add([]byte(s))
	}
	l := readLock(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: text}}, lint.Options{Lock: l})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error says nothing")
			}
			return
		}
		for _, f := range append(r.Findings, r.Allowed...) {
			if f.Line < 1 ||
				f.Column < 1 || f.Line > 1+bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r")) {
				t.Errorf("%v stands outside of the file", f)
			}
			if strings.Contains(f.String(), "\n") {
				t.Errorf("%q is more than a line", f)
			}
		}
		var b bytes.Buffer
		if err := r.WriteSARIF(&b, "v1"); err != nil || !json.Valid(b.Bytes()) {
			t.Errorf("SARIF: %v", err)
		}
	})
}
