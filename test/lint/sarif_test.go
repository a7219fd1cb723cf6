package lint_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
)

// TestSARIF validates a report with findings of each severity, two ways of allowing, and one with
// nothing in it against the schema of SARIF 2.1.0.
func TestSARIF(t *testing.T) {
	text, err := os.ReadFile("../../lint/testdata/report.yaml")
	if err != nil {
		t.Fatal(err)
	}
	allow := []product.Allow{{
		Rule: "windows-fs-group", Reason: "it is meant",
		Pos: yamlfile.Pos{File: "slipway.yaml", Line: 3, Column: 5},
	}}
	for name, files := range map[string][]lint.File{
		"a dir/report.yaml": {{Name: "a dir/report.yaml", Text: text}},
		"nothing":           nil,
	} {
		r, err := lint.Check(t.Context(), files, lint.Options{Allow: allow})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.WriteSARIF(&b, "v1.2.3"); err != nil {
			t.Fatal(err)
		}
		if err := valid(t, b.String()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if broken := strings.Replace(b.String(), `"level": "warning"`, `"level": "grave"`, 1); valid(t, broken) == nil {
			t.Errorf("%s: the schema takes a level that it does not have", name)
		}
	}
}

func valid(t *testing.T, text string) error {
	t.Helper()
	r, err := sarif.FromString(text)
	if err != nil {
		t.Fatal(err)
	}
	return r.Validate()
}
