// Package platform names the systems a release is made for.
//
// A platform is a [v1.Platform] of go-containerregistry: the "platform" object of an OCI index
// descriptor. Slipway writes it as one word:
//
//	linux/amd64
//	linux/arm/v7
//	windows/amd64:ltsc2022       the Windows release by its LTSC name
//	windows/amd64:10.0.17763.1   the Windows release by its version, three or four parts
//
// and also accepts the form of containerd/platforms, windows(10.0.17763)/amd64. A Windows
// platform always has an OSVersion, because a Windows image without one matches every host and
// then fails on most of them
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
package platform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Operating systems, as GOOS and the OCI image configuration spell them.
const (
	Linux   = "linux"
	Windows = "windows"
)

// architectures that Go builds for and container runtimes name, per operating system.
var architectures = map[string][]string{
	Linux:   {"386", "amd64", "arm", "arm64", "loong64", "mips64le", "ppc64le", "riscv64", "s390x"},
	Windows: {"amd64", "arm64"},
}

var (
	containerdForm = regexp.MustCompile(`^windows\(([^()]+)\)/([a-z0-9]+)$`)
	versionForm    = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2,3}$`)
	variantForm    = regexp.MustCompile(`^v[0-9]+$`)
)

// Parse reads one platform. The error says what is wrong with s and what would be accepted.
func Parse(s string) (v1.Platform, error) {
	if m := containerdForm.FindStringSubmatch(s); m != nil {
		return parse(s, Windows+"/"+m[2], m[1])
	}
	name, version, _ := strings.Cut(s, ":")
	return parse(s, name, version)
}

func parse(s, name, version string) (v1.Platform, error) {
	os, rest, _ := strings.Cut(name, "/")
	arch, variant, varied := strings.Cut(rest, "/")
	known, ok := architectures[os]
	if !ok {
		return v1.Platform{}, fmt.Errorf("unknown operating system in platform %q: write linux/ARCH or windows/ARCH:LTSC", s)
	}
	if !slices.Contains(known, arch) {
		return v1.Platform{}, fmt.Errorf("unknown architecture in platform %q: %s has %s", s, os, strings.Join(known, ", "))
	}
	p := v1.Platform{OS: os, Architecture: arch, Variant: variant}
	if os != Windows {
		if version != "" || strings.Contains(s, ":") {
			return v1.Platform{}, fmt.Errorf("platform %q has a version, which only Windows platforms have: write %s", s, name)
		}
		if varied && !variantForm.MatchString(variant) {
			return v1.Platform{}, fmt.Errorf("unknown variant in platform %q: write v7, v8, …", s)
		}
		return p, nil
	}
	if varied {
		return v1.Platform{}, fmt.Errorf("platform %q has a variant, which Windows platforms do not have: write windows/%s:LTSC", s, arch)
	}
	if version == "" {
		return v1.Platform{}, fmt.Errorf("platform %q lacks the Windows release: write windows/%s:LTSC with LTSC one of %s", s, arch, strings.Join(names(), ", "))
	}
	for _, r := range LTSC {
		if r.Name == version {
			p.OSVersion = r.Version
			return p, nil
		}
	}
	if !versionForm.MatchString(version) {
		return v1.Platform{}, fmt.Errorf("unknown Windows release in platform %q: use one of %s, or a version such as 10.0.17763", s, strings.Join(names(), ", "))
	}
	p.OSVersion = version
	return p, nil
}

// Format writes p as [Parse] reads it. Windows releases that have an LTSC name are written by it
// when the version has no fourth part (the revision); with a revision the version stands in full.
func Format(p v1.Platform) string {
	s := p.OS + "/" + p.Architecture
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	if p.OSVersion == "" {
		return s
	}
	for _, r := range LTSC {
		if r.Version == p.OSVersion {
			return s + ":" + r.Name
		}
	}
	return s + ":" + p.OSVersion
}

// Slug writes p for a file name: linux-amd64, windows-ltsc2022-amd64, windows-10.0.19041-amd64.
// Any revision of an LTSC release has the same slug.
func Slug(p v1.Platform) string {
	parts := []string{p.OS}
	if p.OS == Windows && p.OSVersion != "" {
		parts = append(parts, Release(p.OSVersion))
	}
	parts = append(parts, p.Architecture)
	if p.Variant != "" {
		parts = append(parts, p.Variant)
	}
	return strings.Join(parts, "-")
}
