package report

import (
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
)

// page is what the template shows.
type page struct {
	Product, Version string
	What, Proof      string // the first line
	Keys             string // that signed it, with spaces between them
	Directory        bool   // it is of the directory of a release, not of a lock or a bundle
	Verify           string // what verifies it
	Snapshot         bool
	Platforms        []string
	Rows             []row
	Names            []named
	Layers           []bar
	Bundles          []packed
	Inputs           []input
	Others           []other
	Modules          []several // with several versions
	ModuleCount      int
	Packages         []packaged
	Licenses         []license
	Nodes            []node
	Runners          []runner
	Steps            []step
	Ran              string // which run it was, and how long it took
	Findings         []finding
	Linted           bool
	Unknown          []string
	Base             *comparison
}

// row is an image of the matrix; cells are in the order of the platforms.
type row struct {
	Image string
	Cells []cell
}

// cell is a manifest. Digest is "" where the image lacks the platform.
type cell struct {
	Digest, Short string
	Bytes         int64 // of layers
	Stub          bool
}

// named is an image or a chart as it was published.
type named struct {
	Name, Repository, Digest, Short string
	Copies                          []string // its repositories in other registries
	Tags                            []string
	Moved                           []string // floating tags, and what happened to them
}

// input is a source, a base or a toolchain. Age is that of a base, by the date of the release;
// Proof is what the statement of the release proves of a source.
type input struct{ Kind, Name, Version, Place, Age, Proof string }

// other is a third-party image.
type other struct{ Reference, Digest, Systems, From string }

func newPage(r, base *Release) *page {
	p := &page{
		Proof: r.proof(), Keys: strings.Join(r.Keys, " "), Directory: r.Lock != nil && !r.alone,
		Verify: ".", Unknown: r.Unknown,
	}
	if l := r.Lock; l != nil {
		p.Product, p.Version, p.Snapshot = l.Name, l.Version, l.Snapshot
		p.published(l)
		p.names(l)
		p.inputs(l, r.Statement)
		p.others(l)
	} else {
		c := r.Contents
		p.Product, p.Version, p.Snapshot = c.Product, c.Version, c.Snapshot
		p.held(c)
		p.Verify = r.Bundles[0].Path
	}
	p.What = r.kind()
	p.layers(r.Contents)
	p.bundles(r.Bundles, r.Deltas, r.groups())
	p.modules(r.Summary)
	p.packages(r.Summary)
	p.findings(r.Findings)
	p.Linted = r.Linted
	p.nodes(r.Nodes)
	p.timeline(r.Timeline)
	if base != nil {
		p.Base = compare(base, r)
	}
	return p
}

// groups returns the groups of images; nil without a lock.
func (r *Release) groups() []lock.Group {
	if r.Lock == nil {
		return nil
	}
	return r.Lock.Groups
}

// kind returns a sentence about the kind of release.
func (r *Release) kind() string {
	if r.Lock == nil {
		s := "A bundle of a release"
		if r.Contents.Snapshot {
			s = "A bundle of a snapshot, whose names exist in the embedded registry only"
		}
		if !r.Contents.Platform.IsZero() {
			s += ", for " + r.Contents.Platform.String()
		}
		return s + "."
	}
	l := r.Lock
	switch {
	case l.Snapshot && l.HasStubs():
		return "A snapshot: nothing was published, and images with stub bases cannot run."
	case l.Snapshot:
		return "A snapshot: nothing was published."
	}
	s := "A release, published at " + l.Registry
	if len(l.Copies) > 0 {
		s += " and " + strings.Join(l.Copies, ", ")
	}
	return s + "."
}

// proof is the sentence that states what proves it.
func (r *Release) proof() string {
	switch {
	case len(r.Keys) > 0:
		return fmt.Sprintf("Signed, as its files state, with the key %s.", strings.Join(r.Keys, " and the key "))
	case r.Lock != nil && r.alone:
		return "Nothing here proves who made it: a lock has no signature."
	}
	return "Nothing proves who made it: it is not signed."
}

// short is the beginning of a digest.
func short(h v1.Hash) string { return h.Hex[:min(len(h.Hex), 12)] }

func total(layers []v1.Descriptor) (n int64) {
	for _, l := range layers {
		n += l.Size
	}
	return n
}
