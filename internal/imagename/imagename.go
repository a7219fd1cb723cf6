// Package imagename has the grammar of image names of https://github.com/distribution/reference
// and the OCI distribution specification: HOST[:PORT]/PART/PART:TAG.
//
// Other parsers are more lenient. go-containerregistry's accepts ".." as a part of a repository,
// which a registry or a file system resolves to another place. Every name from a file, a flag or
// a registry is checked here before it becomes part of a URL, a path or a name in a bundle.
package imagename

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Part is the expression of one part of a repository's path.
const Part = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`

// Path is the expression of a repository's path.
const Path = Part + `(?:/` + Part + `)*`

const label = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`

var (
	host = lazyregexp.New(`^(?:` + label + `(?:\.` + label + `)*|\[([0-9a-fA-F:.]+)\])(?::[0-9]{1,5})?$`)
	part = lazyregexp.New(`^` + Part + `$`)
	tag  = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

	cosign = lazyregexp.New(`^sha256-[0-9a-f]{64}\.(sig|att|sbom)$`)
)

// maxName bounds host and path together, in bytes, as registries do.
const maxName = 255

// IsHost reports whether s is the host of a registry, with or without a port.
func IsHost(s string) bool {
	m := host.FindStringSubmatch(s)
	if len(s) > maxName || m == nil {
		return false
	}
	if m[1] == "" {
		return true
	}
	a, err := netip.ParseAddr(m[1])
	return err == nil && a.Is6()
}

// IsPart reports whether s is one part of a repository's path.
func IsPart(s string) bool { return len(s) <= maxName && part.MatchString(s) }

// IsTag reports whether s is a tag.
func IsTag(s string) bool { return tag.MatchString(s) }

// ChartTag returns the tag by which Helm finds a version of a chart in a registry: tags have no +.
func ChartTag(version string) string { return strings.ReplaceAll(version, "+", "_") }

// IsCosignTag reports whether s is a tag under which cosign keeps artifacts of an image.
func IsCosignTag(s string) bool { return cosign.MatchString(s) }

// CheckRepository returns an error if host/path is not the full name of a repository. Docker
// Hub's short names are not.
func CheckRepository(name string) error {
	host, path, ok := strings.Cut(name, "/")
	switch {
	case len(name) > maxName:
		return fmt.Errorf("it has more than %d characters", maxName)
	case !ok || !IsHost(host):
		return fmt.Errorf("%q is not a host", host)
	}
	for p := range strings.SplitSeq(path, "/") {
		if !IsPart(p) {
			return fmt.Errorf("%q is not a part of a repository's name, which has lower case letters and digits, "+
				"with . _ or - between them", p)
		}
	}
	return nil
}

// Check returns an error if host/path:tag is not the full name of an image.
func Check(name string) error {
	at := strings.LastIndexByte(name, ':')
	if at < 0 || strings.Contains(name[at:], "/") {
		return errors.New("it has no tag")
	}
	if !IsTag(name[at+1:]) {
		return fmt.Errorf("%.200q is not a tag", name[at+1:])
	}
	return CheckRepository(name[:at])
}
