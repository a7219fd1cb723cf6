package platform_test

import (
	"strings"
	"testing"
)

// TestVariants asks which variants Go compiles for, and how.
func TestVariants(t *testing.T) {
	for in, want := range map[string]string{
		"linux/amd64": "", "linux/amd64/v3": "GOAMD64=v3", "linux/arm/v7": "GOARM=7", "linux/arm64/v8": "GOARM64=v8.0",
		"linux/arm64/v9":  "GOARM64=v9.0",
		"linux/arm/v8":    `unknown variant in platform "linux/arm/v8": Go compiles for linux/arm/v5, linux/arm/v6, linux/arm/v7`,
		"linux/386/v7":    `unknown variant in platform "linux/386/v7": Go has no variants for 386: write linux/386`,
		"linux/amd64/v5":  `unknown variant in platform "linux/amd64/v5": Go compiles for linux/amd64/v1, `,
		"linux/s390x/v99": `unknown variant in platform "linux/s390x/v99": Go has no variants for s390x: write linux/s390x`,
	} {
		p := parse(t, in)
		got := p.GoVariant()
		if err := p.CheckVariant(); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
