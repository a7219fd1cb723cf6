// Package purl writes package URLs, by which bills of materials and provenance name what something
// was made from (https://github.com/package-url/purl-spec).
package purl

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// OCI returns the URL of an image: of a digest, sha256:…, in a repository. An empty digest leaves
// the version out. Qualifiers with an empty value are omitted.
func OCI(repository, digest string, qualifiers map[string]string) string {
	all := maps.Clone(qualifiers)
	if all == nil {
		all = map[string]string{}
	}
	all["repository_url"] = strings.TrimPrefix(repository, "index.") // Docker Hub, as users write it
	return write("oci", "", strings.ToLower(path.Base(repository)), digest, all)
}

// Go returns the URL of a Go module. An empty version is omitted. Paths are in small letters, as
// the specification demands.
func Go(module, version string) string {
	dir, name := path.Split(strings.ToLower(module))
	return write("golang", strings.Trim(dir, "/"), name, version, nil)
}

// Generic returns the URL of a file that no kind of package has, by its name and digest, sha256:….
func Generic(name, version, digest string) string {
	return write("generic", "", name, version, map[string]string{"checksum": digest})
}

// Helm returns the URL of a chart in a repository.
func Helm(name, version, repository string) string {
	return write("helm", "", name, version, map[string]string{"repository_url": repository})
}

// Deb returns the URL of a Debian package, or of one of a distribution made from Debian: its ID in
// os-release, debian if it is not known. Qualifiers are arch, distro, upstream and download_url;
// those with an empty value are omitted.
func Deb(distribution, name, version string, qualifiers map[string]string) string {
	return write("deb", strings.ToLower(cmp.Or(distribution, "debian")), strings.ToLower(name), version, qualifiers)
}

func write(kind, namespace, name, version string, qualifiers map[string]string) string {
	var s strings.Builder
	s.WriteString("pkg:" + kind + "/")
	if namespace != "" {
		s.WriteString(escape(namespace, "/") + "/")
	}
	s.WriteString(escape(name, ""))
	if version != "" {
		s.WriteString("@" + escape(version, ""))
	}
	separator := "?"
	for _, key := range slices.Sorted(maps.Keys(qualifiers)) {
		if qualifiers[key] == "" {
			continue
		}
		s.WriteString(separator + key + "=" + escape(qualifiers[key], "/"))
		separator = "&"
	}
	return s.String()
}

// escape encodes everything but unreserved characters (RFC 3986) and those of keep.
func escape(s, keep string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~"+keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
