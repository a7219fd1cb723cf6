package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/changes"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// comparison is what differs from an older release.
type comparison struct {
	Version  string
	Sections []changes.Section
	Images   []delta
	New      []finding // of lint
	Gone     []finding
	Manifest []change
}

// delta is how a manifest of an image has changed.
type delta struct {
	Image, Platform string
	Old, New        int64 // bytes of layers
	Bytes           int64 // New - Old
	State           string
}

func compare(old, now *Release) *comparison {
	c := &comparison{Manifest: diff(string(old.Manifest), string(now.Manifest))}
	if old.Lock == nil || now.Lock == nil {
		return c
	}
	c.Version = old.Lock.Version
	c.Sections = changes.Compare(old.Release, now.Release)
	c.images(old.Lock, now.Lock)
	c.New, c.Gone = missing(now.Findings, old.Findings), missing(old.Findings, now.Findings)
	return c
}

// manifests are the manifests of a release by image and platform.
type manifest struct {
	image    string
	platform platform.Platform
}

func manifests(l *lock.Lock) map[manifest]lock.Child {
	all := map[manifest]lock.Child{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			all[manifest{i.Name, c.Platform}] = c
		}
	}
	return all
}

// images lists the manifests that are new, gone or changed.
func (c *comparison) images(old, now *lock.Lock) {
	before, after := manifests(old), manifests(now)
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b manifest) int {
		return cmp.Or(cmp.Compare(a.image, b.image), platform.Compare(a.platform, b.platform))
	}) {
		a, had := before[k]
		b, has := after[k]
		d := delta{Image: k.image, Platform: called(k.platform), Old: a.LayerBytes, New: b.LayerBytes, Bytes: b.LayerBytes - a.LayerBytes, State: "changed"}
		switch {
		case !had:
			d.State = "new"
		case !has:
			d.State = "gone"
		case a.Digest == b.Digest:
			d.State = "the same"
		}
		c.Images = append(c.Images, d)
	}
}

// missing are the findings of one list that another does not have, wherever they are.
func missing(all, others []lint.Finding) (out []finding) {
	for _, f := range all {
		same := func(o lint.Finding) bool { return o.Rule == f.Rule && o.Object == f.Object && o.Path == f.Path }
		if !slices.ContainsFunc(others, same) {
			out = append(out, finding{Rule: f.Rule, Severity: string(f.Severity), Object: f.Object, What: f.What, Instead: f.Instead, Line: f.Line})
		}
	}
	return out
}
