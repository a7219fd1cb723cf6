package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

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

	Packed   bool      // it is in an archive or a directory
	Promise  Promise   // of the name of the archive or the list that it is in
	Archive  *Archive  // in the first image of an archive; else nil
	Evidence *Evidence // nil if it was not looked for
	Tags     *Tags     // nil if they were not looked at
}

// Platforms returns what the image is for: of each entry as the index has it, and of an image
// without one as its configuration has it.
func (i Index) Platforms() (all []platform.Platform) {
	for n := range i.Entries {
		if p := i.platform(n); p.IsImage() {
			all = append(all, p)
		}
	}
	return all
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
	// Missing means that the registry or the archive lacks the manifest or its configuration.
	Missing bool
	Fault   error // why a document cannot be read; nil if it can
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
	// Older says of the images that hosts take which ones are newer than their hosts; nil says
	// nothing.
	Older func(images []platform.Platform) []string
	// Allow are findings that are known and meant.
	Allow []IndexAllow
	// Partial means that entries of Allow may be about images that are not here. Those that allow
	// nothing are no findings then.
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
	found   []Finding
}

// add reports a finding, of an entry unless n is negative.
func (j *judging) add(id string, n int, format string, args ...any) {
	r := rule(id)
	if !j.index.Scope.has(id) || n >= 0 && !j.index.chosen(n) {
		return
	}
	f := Finding{
		Rule: r.ID, Severity: j.index.Scope.severity(r), Image: output.Line(j.index.Name),
		File: output.Line(j.index.Name), Instead: r.Instead, Link: r.Link, object: -1, What: output.Line(r.Title),
	}
	if j.index.Pos.File != "" {
		f.File, f.Line, f.Column, f.Origin = j.index.Pos.File, j.index.Pos.Line, j.index.Pos.Column, j.index.Origin
	}
	if format != "" {
		f.What = output.Line(fmt.Sprintf(format, args...))
	}
	if n >= 0 && !j.index.Single {
		f.Path = fmt.Sprintf("manifests[%d]", n)
		f.Object = output.Line(j.name(n))
	}
	if n >= 0 && j.index.Entries[n].Pos.File != "" {
		pos := j.index.Entries[n].Pos
		f.File, f.Line, f.Column, f.Path = pos.File, pos.Line, pos.Column, ""
		f.Instead = "build it anew with its builder: " + f.Instead
	}
	j.found = append(j.found, f)
}

// name returns the platform of an entry, as the index has it.
func (j *judging) name(n int) string {
	if p := j.index.platform(n); !p.IsZero() {
		return p.String()
	}
	return j.index.Entries[n].Desc.Digest.String()
}

// entries looks at each entry by itself, and at those before it.
func (j *judging) entries() {
	first := map[platform.Platform]int{}
	partial := j.partial()
	for n, e := range j.index.Entries {
		if e.Missing && !partial {
			j.add("index-missing", n, "%s", absent(e))
		}
		if e.Fault != nil {
			j.add("index-unreadable", n, "%v", e.Fault)
		}
		j.process(n)
		if j.index.Single {
			continue
		}
		if e.MediaType != "" && isDocker(e.MediaType) != isDocker(string(j.index.Desc.MediaType)) {
			j.add("index-mixed", n, "the index is %s, and lists %s", j.index.Desc.MediaType, e.MediaType)
		}
		if e.Desc.Platform == nil {
			j.add("index-no-platform", n, "")
			continue
		}
		if e.IsAttestation() {
			j.add("index-attestation", n, "")
			continue
		}
		of := platform.From(e.Desc.Platform)
		j.platform(n, of)
		if of.OS == platform.Windows && of.OSVersion == "" {
			continue // that is why it is like another one
		}
		key := of.Canonical()
		if before, ok := first[key]; !ok {
			first[key] = n
		} else if j.index.Entries[before].Desc.Digest != e.Desc.Digest {
			j.add("index-duplicate", n, "entry %d is for this platform, too: runtimes take that one, %s", before,
				j.index.Entries[before].Desc.Digest)
		} else {
			j.add("index-duplicate", n, "entry %d is the same image for the same platform", before)
		}
	}
}

// absent says what an entry lacks.
func absent(e Entry) string {
	if e.MediaType == "" && e.Desc.Digest.Hex != "" {
		return fmt.Sprintf("%s is not there", e.Desc.Digest)
	}
	if e.Desc.Digest.Hex == "" && e.Config == nil && e.Desc.MediaType == "" {
		return "the image is not there"
	}
	return "its configuration or a layer is not there"
}

func isDocker(mediaType string) bool { return strings.Contains(mediaType, "docker") }

// SameEntry reports whether two entries of an index are for the same hosts.
func SameEntry(a, b *v1.Platform) bool { return platform.Same(platform.From(a), platform.From(b)) }

// platform compares the platform of an entry with that of its configuration.
func (j *judging) platform(n int, listed platform.Platform) {
	config := j.index.Entries[n].Config
	if listed.OS == platform.Windows && listed.OSVersion == "" && !j.forAnyBuild(n) {
		if config != nil && config.OSVersion != "" {
			j.add("index-os-version", n, "it has no os.version; the image's configuration has %s", config.OSVersion)
		} else {
			j.add("index-os-version", n, "")
		}
	}
	if config == nil {
		return
	}
	of := platform.FromConfig(config).Canonical()
	of.OSVersion = ""
	if of.OS != listed.OS || of.Architecture != listed.Architecture ||
		of.Variant != "" && listed.Variant != "" && of.Variant != listed.Canonical().Variant ||
		!platform.HasFeatures(listed, of) {
		j.add("index-platform-differs", n, "the image is for %s", of)
		return
	}
	if listed.OS == platform.Windows && listed.OSVersion != "" && config.OSVersion != "" &&
		listed.OSVersion != config.OSVersion {
		j.add("index-os-version-differs", n, "the image's configuration has os.version %s", config.OSVersion)
	}
}
