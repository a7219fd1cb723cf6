package provenance

import "strings"

// The kinds of subjects.
const (
	KindIndex    = "index"
	KindManifest = "manifest" // of one platform, or the only one of an image
	KindChart    = "chart"    // the manifest of a Helm chart
	KindFile     = "file"     // a file in dist/
)

// The kinds of dependencies. The archive of inputs has none.
const (
	KindSource    = "source"
	KindBase      = "base"     // an image that another is built on or copies files from
	KindDocument  = "document" // an index, manifest or configuration of a base, with its content
	KindImage     = "image"    // of a third party, included with the release
	KindProgram   = "program"  // a prebuilt one
	KindCompiler  = "compiler" // of C, for programs with CGO
	KindToolchain = "toolchain"
	KindSlipway   = "slipway"
)

// GoVersion returns the version of a dependency that is a Go toolchain: "go1.26.8". It is "" for
// others.
func (d Dependency) GoVersion() string {
	v, ok := strings.CutPrefix(d.URI, toolchain+"v0.0.1-")
	if !ok {
		return ""
	}
	return v[:max(strings.LastIndex(v, "."), 0)] // without .linux-amd64
}

// The beginnings of the purls of the Go toolchain and of Slipway.
const (
	toolchain = "pkg:golang/golang.org/toolchain@"
	slipway   = "pkg:golang/github.com/slipway-dev/slipway"
)
