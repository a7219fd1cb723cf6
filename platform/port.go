package platform

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ports maps an operating system to the architectures that Go compiles programs for, as go tool
// dist list has them, without those that have no command line.
var ports = map[string][]string{
	"aix":       {"ppc64"},
	"darwin":    {"amd64", "arm64"},
	"dragonfly": {"amd64"},
	"freebsd":   {"386", "amd64", "arm", "arm64"},
	"illumos":   {"amd64"},
	Linux: {
		"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
		"riscv64", "s390x",
	},
	"netbsd":  {"386", "amd64", "arm", "arm64"},
	"openbsd": {"386", "amd64", "arm", "arm64", "ppc64", "riscv64"},
	"plan9":   {"386", "amd64", "arm"},
	"solaris": {"amd64"},
	Windows:   {"386", "amd64", "arm64"},
}

// ParsePort reads the platform of a program that people download, without a Windows release,
// which may be one that images are not made for: darwin/arm64, windows/386, linux/arm/v7.
func ParsePort(s string) (Platform, error) {
	os, rest, _ := strings.Cut(s, "/")
	arch, variant, varied := strings.Cut(rest, "/")
	known, ok := ports[os]
	switch {
	case !ok:
		return Platform{}, fmt.Errorf("unknown operating system in platform %q: Go compiles for %s",
			s, strings.Join(slices.Sorted(maps.Keys(ports)), ", "))
	case arch == "":
		return Platform{}, fmt.Errorf("platform %q lacks the architecture: write %s/%s",
			s, os, strings.Join(known, " or "+os+"/"))
	case !slices.Contains(known, arch):
		return Platform{}, fmt.Errorf("unknown architecture in platform %q: Go compiles for %s",
			s, os+"/"+strings.Join(known, ", "+os+"/"))
	case varied && (arch != "arm" || !slices.Contains([]string{"v5", "v6", "v7"}, variant)):
		return Platform{}, fmt.Errorf("unknown variant in platform %q: write it for arm only, v5, v6 or v7", s)
	}
	return Platform{OS: os, Architecture: arch, Variant: variant}, nil
}

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
		return fmt.Errorf("unknown variant in platform %q: Go has no variants for %s: write %s/%s", p, p.Architecture,
			p.OS, p.Architecture)
	}
	return fmt.Errorf("unknown variant in platform %q: Go compiles for %s",
		p, p.OS+"/"+p.Architecture+"/"+strings.Join(known, ", "+p.OS+"/"+p.Architecture+"/"))
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
