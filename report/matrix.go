package report

import (
	"cmp"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// place is a cell and its platform.
type place struct {
	platform platform.Platform
	cell     cell
}

// matrix lists the manifests of images by platform: those of an image are in the place of its name.
func (p *page) matrix(names []string, manifests [][]place) {
	var all []platform.Platform
	for _, m := range slices.Concat(manifests...) {
		if !slices.Contains(all, m.platform) {
			all = append(all, m.platform)
		}
	}
	platform.Sort(all)
	for _, o := range all {
		p.Platforms = append(p.Platforms, cmp.Or(called(o), "any"))
	}
	for n, name := range names {
		r := row{Image: name, Cells: make([]cell, len(all))}
		for _, m := range manifests[n] {
			r.Cells[slices.Index(all, m.platform)] = m.cell
		}
		p.Rows = append(p.Rows, r)
	}
}

// published lists the manifests of a release.
func (p *page) published(l *lock.Lock) {
	names, manifests := make([]string, len(l.Images)), make([][]place, len(l.Images))
	for n, i := range l.Images {
		names[n] = i.Name
		for _, c := range i.Children {
			manifests[n] = append(manifests[n],
				place{c.Platform, cell{c.Digest.String(), short(c.Digest), c.LayerBytes, len(c.Stubs()) > 0}})
		}
	}
	p.matrix(names, manifests)
}

// held lists the manifests of a bundle, and its names.
func (p *page) held(c *bundle.Contents) {
	names, manifests := make([]string, len(c.Images)), make([][]place, len(c.Images))
	for n, i := range c.Images {
		names[n] = i.Name
		for _, m := range i.Included() {
			manifests[n] = append(manifests[n], place{
				m.Platform,
				cell{Digest: m.Desc.Digest.String(), Short: short(m.Desc.Digest), Bytes: total(m.Layers)},
			})
		}
		p.Names = append(p.Names, named{Name: i.Name, Digest: i.Digest().String(), Short: short(i.Digest())})
	}
	p.matrix(names, manifests)
}

// called is a platform as people call it, with the name of its Windows release.
func called(p platform.Platform) string {
	if release := platform.Release(p.OSVersion); release != "" {
		return p.OS + "/" + p.Architecture + ":" + release
	}
	return p.String()
}

// names lists the published images and charts by their names.
func (p *page) names(l *lock.Lock) {
	add := func(name, repository string, copies, tags []string, floating []lock.FloatingTag, d v1.Hash) {
		n := named{Name: name, Repository: repository, Copies: copies, Tags: tags, Digest: d.String(), Short: short(d)}
		for _, f := range floating {
			if f.Repository != "" && "oci://"+f.Repository != repository && f.Repository != repository {
				f.Tag = f.Repository + ":" + f.Tag
			}
			if f.Kept != "" {
				n.Moved = append(n.Moved, fmt.Sprintf("%s stays: %s", f.Tag, f.Kept))
			} else {
				n.Moved = append(n.Moved, f.Tag+" moves to it")
			}
		}
		p.Names = append(p.Names, n)
	}
	for _, i := range l.Images {
		tags := slices.Clone(i.Tags)
		for _, t := range i.PlatformTags {
			tags = append(tags, t.Tag)
		}
		add(i.Name, i.Repository, i.Copies, tags, i.FloatingTags, i.Digest)
	}
	for _, c := range l.Charts {
		add("chart "+c.Name, "oci://"+c.Repository, c.Copies, c.Tags, c.FloatingTags, c.Digest)
	}
}
