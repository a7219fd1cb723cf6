package lint

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/platform"
)

// entries looks at each entry by itself, and at those before it.
func (j *judging) entries() {
	first := map[platform.Platform]int{}
	partial := j.partial()
	for _, n := range j.taken() {
		e := j.index.Entries[n]
		switch e.Read {
		case outcome.Absent:
			if !partial {
				j.add("index-missing", n, "%s", absent(e))
			}
		case outcome.Broken:
			j.add("index-unreadable", n, "%v", e.Fault)
		case outcome.Unread:
			j.unread(n, e.Fault)
		case outcome.There, outcome.Unasked:
		}
		j.process(n)
		if j.index.Single {
			j.single(n)
			continue
		}
		if e.MediaType != "" && isDocker(e.MediaType) != isDocker(string(j.index.Desc.MediaType)) {
			j.add("index-mixed", n, "the index is %s, and lists %s", j.index.Desc.MediaType, e.MediaType)
		}
		switch {
		case e.IsAttestation():
			j.add("index-attestation", n, "")
			continue
		case e.Artifact:
			j.artifact(n, first)
			continue
		case e.Nested != nil:
			j.nested(n)
		case e.Desc.MediaType.IsIndex(): // it is not there
			continue
		case e.Desc.Platform == nil:
			j.add("index-no-platform", n, "")
			continue
		default:
			j.platform(n, platform.From(e.Desc.Platform))
		}
		j.duplicate(n, first)
	}
}

// taken are the entries as containerd takes them: those without a platform, of which it reads the
// configuration, come last (core/images/image.go, Manifest).
func (j *judging) taken() (order []int) {
	var bare []int
	for n, e := range j.index.Entries {
		if e.Desc.Platform == nil {
			bare = append(bare, n)
		} else {
			order = append(order, n)
		}
	}
	return append(order, bare...)
}

// single looks at an image without an index: for which nodes it is, its configuration alone says.
func (j *judging) single(n int) {
	e := j.index.Entries[n]
	switch {
	case e.Artifact && j.index.Scope != Own && !j.index.Packed && !j.index.InManifest:
		j.add("index-empty", -1, "it is an artifact, and no image")
	case e.Config != nil && !e.Artifact && !named(platform.FromConfig(e.Config)) && hasLayer(e.Layers):
		j.add("index-no-platform", n, noPlatform)
	}
}

// named reports whether a configuration names a platform.
func named(p platform.Platform) bool { return p.IsImage() && p.Architecture != "" }

// hasLayer reports whether one of the layers is that of an image: those of signatures are not.
func hasLayer(layers []v1.Descriptor) bool {
	return slices.ContainsFunc(layers, func(l v1.Descriptor) bool { return l.MediaType.IsLayer() })
}

// noPlatform is about an image that containerd takes on no node.
const noPlatform = "the image's configuration does not say for which operating system and architecture it is"

// artifact reports an artifact that nodes would take for their image, by its platform: runtimes
// take the first entry for it, whatever that is. Behind an image for the same nodes it does no
// harm.
func (j *judging) artifact(n int, first map[platform.Platform]int) {
	p := platform.From(j.index.Entries[n].Desc.Platform)
	if _, before := first[p.Canonical()]; p.IsImage() && !before {
		j.add("index-platform-differs", n, "it is an artifact, and no image is listed before it for %s: "+
			"runtimes take it", p)
	}
}

// duplicate reports an entry for what an entry before it is for. first has the entries that are
// the first for a platform.
func (j *judging) duplicate(n int, first map[platform.Platform]int) {
	of := []platform.Platform{platform.From(j.index.Entries[n].Desc.Platform)}
	if j.index.Entries[n].Nested != nil {
		of = j.index.platforms(n)
	}
	reported := false
	for _, p := range of {
		if p.OS == platform.Windows && p.OSVersion == "" {
			continue // that is why it is like another one
		}
		before, ok := first[p.Canonical()]
		switch digest := j.index.Entries[before].Desc.Digest; {
		case !ok:
			first[p.Canonical()] = n
		case before == n, reported: // within an index in the index
		case j.newer(n, before):
			j.add("index-duplicate", before, "entry %d is for this platform, too, and newer: containerd takes that "+
				"one, %s", n, j.index.Entries[n].Desc.Digest)
			first[p.Canonical()], reported = n, true
		case digest != j.index.Entries[n].Desc.Digest:
			j.add("index-duplicate", n, "entry %d is for this platform, too: runtimes take that one, %s", before,
				digest)
			reported = true
		default:
			j.add("index-duplicate", n, "entry %d is the same image for the same platform", before)
			reported = true
		}
	}
}

// newer reports whether an entry for Windows has a newer revision than another one.
func (j *judging) newer(n, than int) bool {
	a, b := j.index.platform(n), j.index.platform(than)
	return a.OS == windows && platform.Same(a, b) && platform.Best(b, []platform.Platform{b, a}) == 1
}

// nested looks at an index in the index, as runtimes do: at its entries by themselves, and at what
// its own platform leads to.
func (j *judging) nested(n int) {
	e := j.index.Entries[n]
	inner := judging{index: *e.Nested, options: j.options, within: fmt.Sprintf("%smanifests[%d].", j.within, n)}
	inner.index.Name, inner.index.Pos, inner.index.Origin = j.index.Name, j.index.Pos, j.index.Origin
	inner.index.Scope, inner.index.Nodes, inner.index.Packed = j.index.Scope, j.index.Nodes, j.index.Packed
	j.add("index-nested", n, "")
	inner.entries()
	inner.empty()
	inner.ended()
	inner.order()
	inner.age()
	inner.inside()
	inner.foreign()
	inner.layers()
	for k, of := range e.Nested.Entries {
		if p := e.Nested.platform(k); p.IsImage() && !of.Artifact && !leadsTo(e.Desc.Platform, p) {
			inner.add("index-platform-differs", k, "the index that it is in is for %s", platform.From(e.Desc.Platform))
		}
	}
	j.found = append(j.found, inner.found...)
	j.missed, j.skipped = append(j.missed, inner.missed...), append(j.skipped, inner.skipped...)
}

// empty reports an index that lists no image.
func (j *judging) empty() {
	if j.index.Single {
		return
	}
	artifacts := 0
	for _, e := range j.index.Entries {
		switch {
		case e.Artifact:
			artifacts++
		case !e.IsAttestation():
			return
		}
	}
	what := "it lists nothing"
	switch n := len(j.index.Entries) - artifacts; {
	case artifacts > 0:
		what = fmt.Sprintf("it lists %d artifacts and %d attestations, and no image", artifacts, n)
	case n > 0:
		what = fmt.Sprintf("it lists %d attestations alone", n)
	}
	j.add("index-empty", -1, "%s", what)
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
	of := platform.FromConfig(config)
	if of.OSVersion = ""; !named(of) {
		j.add("index-platform-differs", n, noPlatform)
		return
	}
	if !platform.Fits(listed, of) {
		j.add("index-platform-differs", n, "the image is for %s", of)
		return
	}
	if listed.OS == platform.Windows && listed.OSVersion != "" && config.OSVersion != "" &&
		listed.OSVersion != config.OSVersion {
		j.add("index-os-version-differs", n, "the image's configuration has os.version %s", config.OSVersion)
	}
}
