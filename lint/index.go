package lint

import (
	"fmt"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
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
}

// CheckIndexes reports what breaks a rule in images. now is the time by which releases have ended.
func CheckIndexes(list []Index, now time.Time) *Report {
	var names []string
	for _, i := range list {
		names = append(names, i.Name)
	}
	r := newReport(names)
	r.Images = len(list)
	for _, i := range list {
		j := judging{index: i, now: now}
		j.entries()
		j.windows()
		r.Findings = append(r.Findings, j.found...)
	}
	r.sort()
	return r
}

// judging collects the findings of one image.
type judging struct {
	index Index
	now   time.Time
	found []Finding
}

// add reports a finding, of an entry unless n is negative.
func (j *judging) add(id string, n int, format string, args ...any) {
	r := rule(id)
	f := Finding{
		Rule: r.ID, Severity: r.Severity, File: output.Line(j.index.Name), Instead: r.Instead, Link: r.Link, object: -1,
		What: output.Line(r.Title),
	}
	if format != "" {
		f.What = output.Line(fmt.Sprintf(format, args...))
	}
	if n >= 0 && !j.index.Single {
		f.Path = fmt.Sprintf("manifests[%d]", n)
		f.Object = output.Line(j.name(n))
	}
	j.found = append(j.found, f)
}

// name returns the platform of an entry, as the index has it.
func (j *judging) name(n int) string {
	if p := j.index.Entries[n].Desc.Platform; p != nil {
		return platform.From(p).String()
	}
	return j.index.Entries[n].Desc.Digest.String()
}

// entries looks at each entry by itself, and at those before it.
func (j *judging) entries() {
	first := map[platform.Platform]int{}
	for n, e := range j.index.Entries {
		if e.Missing {
			j.add("index-missing", n, "%s", absent(e))
		}
		if e.Fault != nil {
			j.add("index-unreadable", n, "%v", e.Fault)
		}
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
		if oci.IsAttestation(e.Desc) {
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
	return "its configuration or a layer is not there"
}

func isDocker(mediaType string) bool { return strings.Contains(mediaType, "docker") }

// SameEntry reports whether two entries of an index are for the same hosts.
func SameEntry(a, b *v1.Platform) bool { return platform.Same(platform.From(a), platform.From(b)) }

// platform compares the platform of an entry with that of its configuration.
func (j *judging) platform(n int, listed platform.Platform) {
	config := j.index.Entries[n].Config
	if listed.OS == platform.Windows && listed.OSVersion == "" {
		what := ""
		if config != nil && config.OSVersion != "" {
			what = "it has no os.version; the image's configuration has " + config.OSVersion
		}
		j.add("index-os-version", n, "%s", what)
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
