// Package platform names what an image runs on: an operating system, an architecture and, for
// Windows, a release.
//
// A [Platform] is the "platform" object of an OCI index descriptor. Slipway writes it as one
// word, in files and in messages:
//
//	linux/amd64
//	linux/arm/v7
//	windows/amd64:ltsc2022       the Windows release by its LTSC name
//	windows/amd64:10.0.17763.1   the Windows release by its version, three or four parts
//	linux(+erofs)/amd64          os.features: what else a node must be able to do
//
// and also accepts the form of containerd/platforms, windows(10.0.17763)/amd64. A Windows
// platform always has an OSVersion, because a Windows image without one matches every host and
// then fails on most of them
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
package platform

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Operating systems, as GOOS and the OCI image configuration spell them.
const (
	Linux   = "linux"
	Windows = "windows"
)

// architectures maps an operating system to the architectures that Go builds for and container
// runtimes have a name for.
var architectures = map[string][]string{
	Linux:   {"386", "amd64", "arm", "arm64", "loong64", "mips64le", "ppc64le", "riscv64", "s390x"},
	Windows: {"amd64", "arm64"},
}

// Platform is the "platform" object of an OCI descriptor, and comparable. The zero value means no
// platform or, in a selection, all of them.
type Platform struct {
	OS           string
	Architecture string
	Variant      string // v7, v8; "" for an architecture without variants
	OSVersion    string // Windows only: three parts, or four with a revision
	// OSFeatures are os.features, sorted and joined by +: what a node must have besides. Only
	// third-party images have some, such as erofs for layers of that filesystem.
	OSFeatures string
}

// From returns the platform of a descriptor, zero for nil. Other names of systems and
// architectures, such as x86_64, become those of Go, as in containerd.
func From(p *v1.Platform) Platform {
	if p == nil {
		return Platform{}
	}
	is := Platform{
		OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion,
		OSFeatures: joinFeatures(p.OSFeatures),
	}
	if n := is.Normal(); n.OS != is.OS || n.Architecture != is.Architecture {
		return n
	}
	return is
}

// FromConfig returns the platform of an image's configuration, without the feature win32k, which
// Windows bases have there, indexes do not, and no runtime chooses by.
func FromConfig(c *v1.ConfigFile) Platform {
	p := From(c.Platform())
	if p.OS == Windows {
		p.OSFeatures = withoutWin32k(p.OSFeatures)
	}
	return p
}

// V1 returns p for a descriptor, nil for the zero value.
func (p Platform) V1() *v1.Platform {
	if p.IsZero() {
		return nil
	}
	features, _ := splitFeatures(p.OSFeatures)
	return &v1.Platform{
		OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion, OSFeatures: features,
	}
}

// System returns p without its Windows release and its features: what a program is compiled for.
func (p Platform) System() Platform {
	p.OSVersion, p.OSFeatures = "", ""
	return p
}

// Systems returns the systems of platforms, each once.
func Systems(list []Platform) []Platform {
	var all []Platform
	for _, p := range list {
		if s := p.System(); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// IsZero reports whether p names no platform.
func (p Platform) IsZero() bool { return p == Platform{} }

// IsImage reports whether p can be the platform of an image. Attestations in an index have the
// platform unknown/unknown or none.
func (p Platform) IsImage() bool { return p.OS != "" && p.OS != "unknown" }

var (
	// optionForm is OS(VERSION+FEATURE+FEATURE)/…, with a version, features or both
	// (https://github.com/containerd/platforms/blob/v1.0.0-rc.5/platforms.go).
	optionForm  = expression(`^([^/:()]*)\(([^/:()+]*)(?:\+([^/:()]+))?\)(/.*)$`)
	versionForm = expression(`^(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2,3}$`)
	variantForm = expression(`^v[0-9]+$`)
)

// Parse reads one platform. The error states the problem of s and what would be accepted.
func Parse(s string) (Platform, error) {
	name, version, versioned := strings.Cut(s, ":")
	m := optionForm().FindStringSubmatch(name)
	if m == nil || m[2]+m[3] == "" || m[2] != "" && versioned {
		return parse(s, name, version)
	}
	features, err := parseFeatures(m[3])
	if err != nil {
		return Platform{}, fmt.Errorf("platform %q: %w: write linux(+NAME)/ARCH", s, err)
	}
	p, err := parse(s, m[1]+m[4], cmp.Or(version, m[2]))
	if err != nil {
		return Platform{}, err
	}
	p.OSFeatures = features
	return p, nil
}

func parse(s, name, version string) (Platform, error) {
	os, rest, _ := strings.Cut(name, "/")
	arch, variant, varied := strings.Cut(rest, "/")
	known, ok := architectures[os]
	if !ok {
		return Platform{}, fmt.Errorf("unknown operating system in platform %q: write linux/ARCH or windows/ARCH:LTSC",
			s)
	}
	if !slices.Contains(known, arch) {
		return Platform{}, fmt.Errorf("unknown architecture in platform %q: %s has %s",
			s, os, strings.Join(known, ", "))
	}
	p := Platform{OS: os, Architecture: arch, Variant: variant}
	if os != Windows {
		if version != "" || strings.Contains(s, ":") {
			return Platform{}, fmt.Errorf("platform %q has a version, which only Windows platforms have: write %s",
				s, name)
		}
		if varied && !variantForm().MatchString(variant) {
			return Platform{}, fmt.Errorf("unknown variant in platform %q: write v7, v8, …", s)
		}
		return p, nil
	}
	if varied {
		return Platform{},
			fmt.Errorf("platform %q has a variant, which Windows platforms do not have: write windows/%s:LTSC", s, arch)
	}
	if version == "" {
		return Platform{}, fmt.Errorf("platform %q lacks the Windows release: "+
			"write windows/%s:LTSC with LTSC one of %s", s, arch, strings.Join(names(), ", "))
	}
	if p.OSVersion = ltscVersion(version); !versionForm().MatchString(p.OSVersion) {
		return Platform{}, fmt.Errorf("unknown Windows release in platform %q: "+
			"use one of %s, or a version such as 10.0.17763", s, strings.Join(names(), ", "))
	}
	return p, nil
}

// String writes p as [Parse] reads it: a Windows release by its LTSC name if it has one and the
// version has no fourth part (the revision), and by the full version otherwise.
func (p Platform) String() string {
	if p.IsZero() {
		return ""
	}
	s := p.OS
	if p.OSFeatures != "" {
		s += "(+" + p.OSFeatures + ")"
	}
	s += "/" + p.Architecture
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	if p.OSVersion == "" {
		return s
	}
	return s + ":" + ltscName(p.OSVersion)
}

// MarshalText writes p as [Platform.String] does.
func (p Platform) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes, and more than [Parse]: third-party images may be
// for platforms that a release cannot have, and for Windows without a release.
func (p *Platform) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = Platform{}
		return nil
	}
	if !bytes.ContainsRune(text, '/') {
		return fmt.Errorf("invalid platform %q: write OS/ARCH", text)
	}
	name, version, _ := strings.Cut(string(text), ":")
	var features string
	if m := optionForm().FindStringSubmatch(name); m != nil && m[2] == "" {
		var err error
		if features, err = parseFeatures(m[3]); err != nil {
			return fmt.Errorf("platform %q: %w", text, err)
		}
		name = m[1] + m[4]
	}
	*p = Platform{OSVersion: ltscVersion(version), OSFeatures: features}
	p.OS, name, _ = strings.Cut(name, "/")
	p.Architecture, p.Variant, _ = strings.Cut(name, "/")
	return nil
}

// Check returns an error if a release cannot be made for p.
func (p Platform) Check() error {
	if p.OSFeatures != "" {
		system := p
		system.OSFeatures = ""
		return fmt.Errorf("platform %q has os.features, and Slipway makes no image that needs any: write %s", p, system)
	}
	_, err := Parse(p.String())
	return err
}

// Slug returns p in a form for file names: linux-amd64, windows-ltsc2022-amd64,
// windows-10.0.19041-amd64, linux+erofs-amd64. All revisions of an LTSC release have the same
// slug.
func (p Platform) Slug() string {
	parts := []string{p.OS}
	if p.OSFeatures != "" {
		parts[0] += "+" + p.OSFeatures
	}
	if p.OS == Windows && p.OSVersion != "" {
		parts = append(parts, Release(p.OSVersion))
	}
	parts = append(parts, p.Architecture)
	if p.Variant != "" {
		parts = append(parts, p.Variant)
	}
	return strings.Join(parts, "-")
}

// expression returns a function that compiles a regular expression when it is first called: all
// commands start with this package, and few match its expressions.
func expression(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
