package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/platform"
)

// page is what the template shows.
type page struct {
	Product, Version string
	What, Proof      string // the first lines
	Snapshot         bool
	Platforms        []string
	Rows             []row
	Names            []named
	Layers           []bar
	Bundles          []packed
	Inputs           []input
	Others           []other
	Modules          []module // with several versions
	ModuleCount      int
	Findings         []finding
	Unknown          []string
	Base             *comparison
}

// row is an image of the matrix; cells are in the order of the platforms.
type row struct {
	Image string
	Cells []cell
}

// cell is a manifest. Digest is "" where the image has none for the platform.
type cell struct {
	Digest, Short string
	Bytes         int64 // of layers
	Stub          bool
}

// named is an image or a chart as it was published.
type named struct {
	Name, Repository, Digest, Short string
	Tags                            []string
	Moved                           []string // floating tags, and what happened to them
}

// packed is a bundle, and how a node loads it.
type packed struct {
	File, For, SHA256, Load string
	Bytes                   int64
	Images                  int
}

// input is a source, a base or a toolchain.
type input struct{ Kind, Name, Version, Place string }

// other is an image of others.
type other struct{ Reference, Digest, Systems, From string }

type module struct{ Path, Versions string }

// finding is what lint says of a line of release.yaml.
type finding struct {
	Rule, Severity, Object, What, Instead string
	Line                                  int
	Lines                                 []line // around it
}

type line struct {
	Number int
	Text   string
	Found  bool
}

func newPage(r, base *Release) *page {
	p := &page{Proof: cmp.Or(r.Signed, "Nothing proves who made it: it is not signed."), Unknown: r.Unknown}
	if l := r.Lock; l != nil {
		p.Product, p.Version, p.Snapshot = l.Name, l.Version, l.Snapshot
		p.published(l)
		p.names(l)
		p.inputs(l)
		p.others(l)
	} else {
		c := r.Contents
		p.Product, p.Version, p.Snapshot = c.Product, c.Version, c.Snapshot
		p.held(c)
	}
	p.What = r.what()
	p.layers(r.Contents)
	p.bundles(r.Bundles)
	p.modules(r.Modules)
	p.findings(r)
	if base != nil {
		p.Base = compare(base, r)
	}
	return p
}

// what is the sentence that tells what this is.
func (r *Release) what() string {
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

// bundles lists the bundles, and what a node types to load one.
func (p *page) bundles(all []bundle.File) {
	for _, f := range all {
		b := packed{File: f.Path, For: "a private registry", SHA256: f.SHA256, Bytes: f.Size, Images: len(f.Contents.Images)}
		b.Load = "slipway airgap push " + f.Path + " -to=registry.internal/mirror"
		if o := f.Contents.Platform; !o.IsZero() {
			b.For = o.String()
			b.Load = "./load-images.sh"
			if o.OS == platform.Windows {
				b.Load = `.\load-images.ps1`
			}
		}
		p.Bundles = append(p.Bundles, b)
	}
}

// modules counts the modules of programs, and lists those of which there are several versions.
func (p *page) modules(all map[string][]string) {
	p.ModuleCount = len(all)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if len(all[path]) > 1 {
			p.Modules = append(p.Modules, module{path, strings.Join(all[path], ", ")})
		}
	}
}

// findings lists what lint says, each with the lines around its place.
func (p *page) findings(r *Release) {
	lines := strings.Split(string(r.Manifest), "\n")
	for _, f := range r.Findings {
		out := finding{Rule: f.Rule, Severity: string(f.Severity), Object: f.Object, What: f.What, Instead: f.Instead, Line: f.Line}
		for n := max(f.Line-3, 1); n <= min(f.Line+2, len(lines)); n++ {
			out.Lines = append(out.Lines, line{n, lines[n-1], n == f.Line})
		}
		p.Findings = append(p.Findings, out)
	}
}

// short is the beginning of a digest.
func short(h v1.Hash) string { return h.Hex[:min(len(h.Hex), 12)] }

func total(layers []v1.Descriptor) (n int64) {
	for _, l := range layers {
		n += l.Size
	}
	return n
}
