package sbom

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/lock"
)

// kind is what a component is.
type kind int

const (
	release   kind = iota // everything
	index                 // of an image
	manifest              // an image for one platform
	base                  // a third-party image
	program               // a file that a system starts
	file                  // any other file
	module                // a Go module
	osPackage             // a package of a Linux distribution
	compiler              // of C
	artifact              // a file for download
	chart                 // of Helm
)

// kinds has the words of the two forms for each kind.
var kinds = [...]struct{ spdx, cyclonedx string }{
	release:   {"APPLICATION", "application"},
	index:     {"CONTAINER", "container"},
	manifest:  {"CONTAINER", "container"},
	base:      {"CONTAINER", "container"},
	program:   {"APPLICATION", "application"},
	file:      {"FILE", "file"},
	module:    {"LIBRARY", "library"},
	osPackage: {"INSTALL", "library"},
	compiler:  {"APPLICATION", "application"},
	artifact:  {"ARCHIVE", "file"},
	chart:     {"ARCHIVE", "file"},
}

// component is something that a document lists.
type component struct {
	id      string // unique in the document; letters, digits, '.' and '-'
	kind    kind
	name    string
	version string // "" if it is not known
	purl    string
	cpe     string
	// sha256 and sha512 are those of a file or a manifest, in hex.
	sha256, sha512 string
	sum            string // h1: hash of a Go module
	file           string // path
	license        string // SPDX expression; "" if none is declared
	supplier       string // organization; "" if it is not known
	source         string // URL of the repository
	label          string // name of the source of an image or a program
	download       string // where it is, as SPDX writes it
	comment        string
	executable     bool
	archive        bool
	// known reports whether all dependencies are listed.
	known bool
}

// relation is how a component refers to another one, in the words of SPDX.
type relation string

const (
	contains        relation = "CONTAINS"
	variantOf       relation = "VARIANT_OF"
	descendantOf    relation = "DESCENDANT_OF"
	dependsOn       relation = "DEPENDS_ON"
	generatedFrom   relation = "GENERATED_FROM"
	buildToolOf     relation = "BUILD_TOOL_OF"
	buildDependency relation = "BUILD_DEPENDENCY_OF"
)

// edge is a relation of two components.
type edge struct {
	from     string
	relation relation
	to       string
	comment  string // the path of a file that is contained
}

// graph is the content of a document.
type graph struct {
	lock       *lock.Lock
	inventory  *lock.Inventory
	components map[string]*component
	edges      map[edge]bool
	licenses   map[string]licenseText // by LicenseRef
}

func newGraph(l *lock.Lock, v *lock.Inventory) *graph {
	return &graph{l, v, map[string]*component{}, map[edge]bool{}, map[string]licenseText{}}
}

// add adds a component, unless one with its id is there, and returns the id.
func (g *graph) add(c component) string {
	if _, ok := g.components[c.id]; !ok {
		g.components[c.id] = &c
	}
	return c.id
}

func (g *graph) relate(from string, r relation, to, comment string) {
	g.edges[edge{from, r, to, comment}] = true
}

// sorted returns the components in the order of kinds and ids.
func (g *graph) sorted() []*component {
	return slices.SortedFunc(maps.Values(g.components), func(a, b *component) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id))
	})
}

// sortedEdges returns the relations in a fixed order.
func (g *graph) sortedEdges() []edge {
	return slices.SortedFunc(maps.Keys(g.edges), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.relation, b.relation), cmp.Compare(a.to, b.to),
			cmp.Compare(a.comment, b.comment))
	})
}

var notInID = lazyregexp.New(`[^A-Za-z0-9.]+`)

// id makes an identifier that people can read, from a text that need not fit into one.
func id(prefix, text, key string) string {
	sum := sha256.Sum256([]byte(key))
	if len(text) > 100 {
		text = text[:100]
	}
	return prefix + "-" + notInID.ReplaceAllString(text, "-") + "-" + hex.EncodeToString(sum[:8])
}
