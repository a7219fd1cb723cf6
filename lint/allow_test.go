package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
)

// TestAllowInProduct lets slipway.yaml allow findings: by rule, object and field.
func TestAllowInProduct(t *testing.T) {
	text := windowsPod("securityContext: {fsGroup: 1, runAsUser: 1}\ncontainers: [" +
		main(", securityContext: {runAsUser: 1}") + "]")
	at := yamlfile.Pos{File: "slipway.yaml", Line: 3, Column: 9}
	for _, tt := range []struct {
		name  string
		allow product.Allow
		want  []string
	}{
		{"a rule", product.Allow{Rule: "windows-run-as-user"}, []string{"windows-fs-group"}},
		{
			"in an object",
			product.Allow{Rule: "windows-run-as-user", Object: "Pod demo/app"},
			[]string{"windows-fs-group"},
		},
		{
			"in another object",
			product.Allow{Rule: "windows-run-as-user", Object: "Pod demo/other"},
			[]string{"allow-unused", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"},
		},
		{
			"of a field",
			product.Allow{Rule: "windows-run-as-user", Path: "spec.securityContext.runAsUser"},
			[]string{"windows-fs-group", "windows-run-as-user"},
		},
		{
			"below a field",
			product.Allow{Rule: "windows-run-as-user", Path: "spec.containers"},
			[]string{"windows-run-as-user", "windows-fs-group"},
		},
		{
			"of a field that only begins like it",
			product.Allow{Rule: "windows-run-as-user", Path: "spec.contain"},
			[]string{"allow-unused", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"},
		},
		{
			"an unknown rule",
			product.Allow{Rule: "windows-root"},
			[]string{"allow-unknown", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"},
		},
		{
			"a rule about allowing",
			product.Allow{Rule: "allow-unused"},
			[]string{"allow-unknown", "windows-run-as-user", "windows-fs-group", "windows-run-as-user"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.allow.Reason, tt.allow.Pos = "it is meant", at
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(text)}},
				lint.Options{Lock: readLock(t), Allow: []product.Allow{tt.allow}})
			if err != nil {
				t.Fatal(err)
			}
			got := ids(r.Findings)
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for _, f := range r.Findings {
				if strings.HasPrefix(f.Rule, "allow-") && (f.File != "slipway.yaml" || f.Line != 3) {
					t.Errorf("%s stands at %s:%d", f.Rule, f.File, f.Line)
				}
			}
		})
	}
}
