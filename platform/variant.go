package platform

import (
	"fmt"
	"slices"
	"strings"
)

// variants maps an architecture to the variants that Go compiles programs for.
var variants = map[string][]string{
	"amd64": {"v1", "v2", "v3", "v4"},
	"arm":   {"v5", "v6", "v7"},
	"arm64": {"v8", "v9"},
}

// CheckVariant returns an error for a platform of which Go compiles no programs. Third-party
// images may have more variants.
func (p Platform) CheckVariant() error {
	known := variants[p.Architecture]
	switch {
	case p.Variant == "" || slices.Contains(known, p.Variant):
		return nil
	case known == nil:
		return fmt.Errorf("unknown variant in platform %q: Go has none for %s: write %s/%s", p, p.Architecture, p.OS, p.Architecture)
	}
	return fmt.Errorf("unknown variant in platform %q: Go compiles for %s", p, p.OS+"/"+p.Architecture+"/"+strings.Join(known, ", "+p.OS+"/"+p.Architecture+"/"))
}

// GoVariant returns the variable by which the go command compiles for the variant, as NAME=VALUE;
// "" for the default.
func (p Platform) GoVariant() string {
	switch {
	case p.Variant == "":
		return ""
	case p.Architecture == "arm":
		return "GOARM=" + strings.TrimPrefix(p.Variant, "v")
	case p.Architecture == "arm64":
		return "GOARM64=" + p.Variant + ".0"
	case p.Architecture == "amd64":
		return "GOAMD64=" + p.Variant
	}
	return ""
}
