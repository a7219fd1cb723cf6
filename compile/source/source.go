// Package source brings in what programs and templates are made from: Go modules by their hash,
// or directories.
//
// A module is taken from the user's module cache, where the go command puts it; it is built in
// that directory with its own go.mod and go.sum, as its maintainers do. Its content is hashed
// anew each time (golang.org/x/mod/sumdb/dirhash) and compared with the hash in slipway.yaml, so
// that neither a proxy nor a changed cache gets anything else into a release, also where the
// checksum database does not know the module.
package source

import (
	"strings"
	"time"

	"github.com/slipway-dev/slipway/product"
)

// Tree is a source on disk.
type Tree struct {
	Source product.Source // with Revision and Created filled in
	Dir    string         // absolute
	// Fixed means that the content is known by a hash and cannot change between runs: a Go
	// module.
	Fixed bool
}

// Version returns the source's own version without a leading v: 0.16.1 of a module at v0.16.1,
// the revision of a directory.
func (t Tree) Version() string {
	if _, v, ok := strings.Cut(t.Source.Module, "@"); ok {
		return strings.TrimPrefix(v, "v")
	}
	return t.Source.Revision
}

// Info returns what templates in ldflags may name, for a product version.
func (t Tree) Info(productVersion string) product.BuildInfo {
	return product.BuildInfo{
		Version:       productVersion,
		Revision:      t.Source.Revision,
		Created:       t.Source.Created.UTC().Format(time.RFC3339),
		SourceVersion: t.Version(),
	}
}
