package lint

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Index is an image as a registry or an archive has it.
type Index struct {
	// Name is what findings call it: a reference, or an archive and a reference in it.
	Name    string
	Desc    v1.Descriptor
	Raw     []byte  // the document; nil if it could not be read
	Entries []Entry // in the index's order; one for a manifest without an index
	Single  bool    // it is a manifest without an index

	// Pos is where a file names the image; the zero value if none does. Origin is the place in a
	// template that the line was rendered from, or "".
	Pos    yamlfile.Pos
	Origin string
	// Before is the image that this one follows; nil if none is known.
	Before *Index
	// Scope says which rules apply.
	Scope Scope
	// Nodes are the platforms of those that may run the image; nil if they are not known. Entries
	// for others are not judged.
	Nodes []platform.Platform
	// NodesChecked means that something else checks whether each of Nodes finds an entry, as the
	// rules of pods do for an image that pods alone name.
	NodesChecked bool

	// Gaps are further facts that are not known.
	Gaps []Gap

	InManifest bool      // a manifest names it: it may be an artifact, which a controller pulls
	Packed     bool      // it is in an archive or a directory
	Promise    Promise   // of the name of the archive or the list that it is in
	Archive    *Archive  // in the first image of an archive; else nil
	Evidence   *Evidence // nil if it was not looked for
	Tags       *Tags     // nil if they were not looked at
}

// Platforms returns the platforms that nodes can pull the image for: those of the index's
// entries, and for an entry without one the platform of its configuration. Missing and damaged
// entries are omitted, and so are artifacts. An index in an index counts by its entries, as far
// as its own platform leads to them.
func (i Index) Platforms() (all []platform.Platform) {
	for n := range i.Entries {
		all = append(all, i.platforms(n)...)
	}
	return all
}

// platforms returns what nodes can pull an entry for.
func (i Index) platforms(n int) (all []platform.Platform) {
	e := i.Entries[n]
	switch e.Read {
	case outcome.Absent, outcome.Broken:
		return nil
	case outcome.There, outcome.Unread, outcome.Unasked:
	}
	if e.Nested == nil {
		if p := i.platform(n); p.IsImage() && !e.Artifact {
			all = append(all, p)
		}
		return all
	}
	for _, p := range e.Nested.Platforms() {
		if leadsTo(e.Desc.Platform, p) {
			all = append(all, p)
		}
	}
	return all
}

// leadsTo reports whether a runtime that chooses an index by its platform finds an entry in it.
func leadsTo(outer *v1.Platform, inner platform.Platform) bool {
	p := platform.From(outer)
	if p.IsZero() {
		return true
	}
	if p.OSVersion == "" {
		inner.OSVersion = ""
	}
	if p.Variant == "" {
		inner.Variant = ""
	}
	return platform.Same(p, inner)
}

// platform returns the platform of an entry.
func (i Index) platform(n int) platform.Platform {
	e := i.Entries[n]
	if i.Single && e.Config != nil {
		return platform.FromConfig(e.Config)
	}
	return platform.From(e.Desc.Platform)
}

// Entry is what an index lists, or the manifest of an image without one.
type Entry struct {
	Desc v1.Descriptor // as the index has it
	// MediaType is that of the manifest itself; empty if it was not read.
	MediaType string
	// Config is the image's configuration; nil if it was not read.
	Config *v1.ConfigFile
	// Read is what reading the manifest, its configuration and, where these are looked at, its
	// layers led to, and Fault is why of [outcome.Broken] and [outcome.Unread].
	Read  outcome.Outcome
	Fault error
	// Nested is what an entry lists that is an index itself; nil for others.
	Nested *Index
	// Artifact means that the entry is not an image: a chart, an SBOM or an index of SOCI.
	Artifact bool
	// Layers are those of the manifest, and Inside is what they have; nil if they were not read.
	Layers []v1.Descriptor
	Inside *Inside
	// Lost are the layers that an archive lacks, and Damaged those whose bytes are others. In a
	// registry they are not looked at.
	Lost, Damaged []string
	// Pos is where slipway.yaml names the image of another builder; the zero value for others.
	Pos yamlfile.Pos
}

// IndexOptions say by what images are judged.
type IndexOptions struct {
	// Now is the time by which releases have ended.
	Now time.Time
	// Platforms must be among those of each image.
	Platforms []platform.Platform
	// Hosts must find an entry in each image for their operating system.
	Hosts []Host
	// Older describes the given images that are newer than the hosts that take them; nil disables
	// the rule.
	Older func(images []platform.Platform) []string
	// Allow are findings that are known and meant.
	Allow []IndexAllow
	// Partial means that entries of Allow may be about images that are not in this report. An
	// entry that allows nothing is not reported then.
	Partial bool
	// Found are those of [CheckPods] and [CheckListed] in what names the images.
	Found []Finding
}

// Host is a node of a cluster.
type Host struct {
	Name     string
	Platform platform.Platform
}

// CheckIndexes reports what breaks a rule in images.
func CheckIndexes(list []Index, o IndexOptions) *Report {
	r := newReport(nil)
	r.Images = len(list)
	var all []Finding
	for _, i := range list {
		j := judging{index: i, options: o}
		j.entries()
		j.empty()
		j.gaps()
		j.ended()
		j.windows()
		j.order()
		j.builds()
		j.before()
		j.wanted()
		j.hosts()
		j.age()
		j.foreign()
		j.inside()
		j.promised()
		j.archive()
		j.evidence()
		j.tags()
		all = append(all, j.found...)
		r.Unread, r.Skipped = append(r.Unread, j.missed...), append(r.Skipped, j.skipped...)
		r.about(cmp.Or(i.Pos.File, output.Line(i.Name)))
	}
	for _, f := range o.Found {
		r.about(f.File)
	}
	r.allowIndexes(append(all, o.Found...), o)
	r.sort()
	return r
}

// about adds a file, once.
func (r *Report) about(file string) {
	if !slices.Contains(r.Files, file) {
		r.Files = append(r.Files, file)
	}
}

// judging collects the findings of one image.
type judging struct {
	index   Index
	options IndexOptions
	within  string // of an index in an index, the path of its entry and a dot
	found   []Finding

	missed, skipped []Unknown
}

// add reports a finding, of an entry unless n is negative.
func (j *judging) add(id string, n int, format string, args ...any) {
	r := rule(id)
	if !j.index.Scope.has(id) || n >= 0 && !j.index.chosen(n) {
		return
	}
	f := j.place(n)
	f.Rule, f.Severity, f.Instead, f.Link = r.ID, j.index.Scope.severity(r), r.Instead, r.Link
	f.What, f.object = output.Line(r.Title), -1
	if j.within == "" {
		f.entry = n + 1
	}
	if format != "" {
		f.What = output.Line(fmt.Sprintf(format, args...))
	}
	if n >= 0 && j.index.Entries[n].Pos.File != "" {
		f.Instead = "build it anew with its builder: " + f.Instead
	}
	j.found = append(j.found, f)
}

// place returns a finding that has the place of an entry, or of the image if n is negative.
func (j *judging) place(n int) Finding {
	f := Finding{Image: output.Line(j.index.Name), File: output.Line(j.index.Name)}
	if j.index.Pos.File != "" {
		f.File, f.Line, f.Column, f.Origin = j.index.Pos.File, j.index.Pos.Line, j.index.Pos.Column, j.index.Origin
	}
	if n >= 0 && !j.index.Single {
		f.Path = fmt.Sprintf("%smanifests[%d]", j.within, n)
		f.Object = output.Line(j.name(n))
	}
	if n >= 0 && j.index.Entries[n].Pos.File != "" {
		pos := j.index.Entries[n].Pos
		f.File, f.Line, f.Column, f.Path = pos.File, pos.Line, pos.Column, ""
	}
	return f
}

// name returns the platform of an entry, as the index has it.
func (j *judging) name(n int) string {
	if p := j.index.platform(n); !p.IsZero() {
		return p.String()
	}
	return j.index.Entries[n].Desc.Digest.String()
}

// Entry returns the number of the entry of an index that a finding is about. ok is false for the
// index as a whole, and for an entry of an index in it.
func (f Finding) Entry() (n int, ok bool) {
	return f.entry - 1, f.entry > 0
}
