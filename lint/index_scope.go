package lint

import (
	"slices"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Scope states who can change an image, which decides the rules that apply to it.
type Scope int

const (
	// Audited are images that their maintainer looks at: every rule applies.
	Audited Scope = iota
	// Bundled are third-party images that a release takes unchanged. Its maintainer can choose
	// another version of one, or mend its index elsewhere, and nothing else. Rules apply to
	// faults that break on nodes of the product:
	//
	//   - the faults of an index (see faults), in entries that such nodes choose from;
	//   - index-windows-release and index-node, for the product's Windows builds in place of those
	//     that Microsoft supports. index-node is a warning: which nodes pull the image is not known;
	//   - index-platform-lost, against the image that was pinned before.
	//
	// Rules are omitted if the image works on these nodes all the same: each release would repeat
	// their findings until the publisher acts. index-attestation, index-mixed and index-single
	// are about the form that others publish. index-windows-ended and the rules of age are about
	// third-party bases, and a release asks no clock. index-foreign-layer does not matter, since
	// bundles include these layers. Evidence is copied unchanged, and verified if there is a key.
	// The tags of tag-twin and tag-latest do not count where a digest is pinned. A release does
	// not read the archives and layers that the other rules are about.
	Bundled
	// Own are images of the product, on their way from one registry to another. Only the faults
	// of an index count, and each is an error, since users pull from the target registry. The
	// other rules are for slipway audit: promote neither asks for more than it copies, nor stops
	// a release for a state that it was tested in. The rules of layers apply to an image that
	// another builder made for the product, since a release reads its layers.
	Own
)

// faults are the rules that an index breaks by itself: nodes pull the wrong image, or none, or
// cannot start any.
var faults = []string{
	"index-os-version", "index-os-version-differs", "index-platform-differs", "index-duplicate",
	"index-no-platform", "index-empty", "index-missing", "index-unreadable", "index-process",
}

// has reports whether a rule applies.
func (s Scope) has(rule string) bool {
	switch s {
	case Audited:
		return true
	case Bundled:
		return slices.Contains(faults, rule) ||
			slices.Contains([]string{"index-windows-release", "index-node", "index-platform-lost"}, rule)
	case Own:
	}
	return slices.Contains(faults, rule) ||
		slices.ContainsFunc(insideRules, func(r Rule) bool { return r.ID == rule }) // where layers were read
}

// severity returns the severity of a rule's findings.
func (s Scope) severity(r Rule) Severity {
	switch {
	case s == Bundled && r.ID == "index-node":
		return Warning
	case s == Own && slices.Contains(faults, r.ID):
		return Error
	}
	return r.Severity
}

// chosen reports whether nodes that may run the image choose from an entry.
func (i Index) chosen(n int) bool {
	p := platform.From(i.Entries[n].Desc.Platform)
	return i.Nodes == nil || p.IsZero() || slices.ContainsFunc(i.Nodes, func(node platform.Platform) bool {
		return node.OS == p.OS && node.Architecture == p.Architecture
	})
}

// forAnyBuild reports whether an image may lack os.version on purpose, as those for HostProcess
// containers do: its configuration lacks it, if that was read, and no other entry is for Windows.
// slipway audit asks the publisher to confirm it.
func (j *judging) forAnyBuild(n int) bool {
	if config := j.index.Entries[n].Config; j.index.Scope == Audited || config != nil && config.OSVersion != "" {
		return false
	}
	for k, e := range j.index.Entries {
		if p := e.Desc.Platform; k != n && p != nil && p.OS == windows &&
			p.Architecture == j.index.Entries[n].Desc.Platform.Architecture {
			return false
		}
	}
	return true
}

// builds looks for Windows builds of the product that the image lacks. Of an image that pods alone
// name, the rules of pods say so, which know what each pod selects.
func (j *judging) builds() {
	has := j.index.Platforms()
	if j.index.NodesChecked || !j.complete() || !slices.ContainsFunc(has, on(windows)) {
		return
	}
	for _, host := range j.index.Nodes {
		if host.OS != windows || slices.ContainsFunc(has, func(p platform.Platform) bool {
			return platform.Same(p, host) || p.OS == windows && p.OSVersion == "" // that is a fault by itself
		}) {
			continue
		}
		host.OSVersion = platform.Short(host.OSVersion)
		if best := platform.Best(host, has); best >= 0 {
			j.add("index-windows-release", -1, "it has no entry for %s; nodes of that release run the one for %s",
				host, has[best])
		} else {
			j.add("index-node", -1, "no entry runs on nodes with %s: it is for %s", host, format(has))
		}
	}
}

// AllowIndexes returns the entries of slipway.yaml that allow findings about images. Their object
// is the image, and their path an entry of its index, both as findings name them.
func AllowIndexes(list []product.Allow) (all []IndexAllow) {
	for _, a := range list {
		if ofIndexes(a.Rule) {
			all = append(all, IndexAllow{Pos: a.Pos, Rule: a.Rule, Image: a.Object, Entry: a.Path, Reason: a.Reason})
		}
	}
	return all
}

// ofIndexes reports whether a rule is about images and not about manifests.
func ofIndexes(id string) bool {
	return slices.ContainsFunc(IndexRules(), func(r Rule) bool { return r.ID == id })
}
