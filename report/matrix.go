package report

import (
	"cmp"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// matrix lists the manifests of images by platform.
func (p *page) matrix(l *lock.Lock) {
	var all []platform.Platform
	for _, i := range l.Images {
		for _, c := range i.Children {
			if !slices.Contains(all, c.Platform) {
				all = append(all, c.Platform)
			}
		}
	}
	platform.Sort(all)
	for _, o := range all {
		p.Platforms = append(p.Platforms, called(o))
	}
	for _, i := range l.Images {
		r := row{Image: i.Name, Cells: make([]cell, len(all))}
		for _, c := range i.Children {
			r.Cells[slices.Index(all, c.Platform)] = cell{c.Digest.String(), short(c.Digest), c.LayerBytes, len(c.Stubs()) > 0}
		}
		p.Rows = append(p.Rows, r)
	}
}

// held lists the manifests of a bundle.
func (p *page) held(c *bundle.Contents) {
	var all []platform.Platform
	for _, i := range c.Images {
		for _, m := range i.Included() {
			if !slices.Contains(all, m.Platform) {
				all = append(all, m.Platform)
			}
		}
	}
	platform.Sort(all)
	for _, o := range all {
		p.Platforms = append(p.Platforms, cmp.Or(called(o), "any"))
	}
	for _, i := range c.Images {
		r := row{Image: i.Name, Cells: make([]cell, len(all))}
		for _, m := range i.Included() {
			r.Cells[slices.Index(all, m.Platform)] = cell{Digest: m.Desc.Digest.String(), Short: short(m.Desc.Digest), Bytes: total(m.Layers)}
		}
		p.Rows = append(p.Rows, r)
		p.Names = append(p.Names, named{Name: i.Name, Digest: i.Digest().String(), Short: short(i.Digest())})
	}
}

// called is a platform as people call it, with the name of its Windows release.
func called(p platform.Platform) string {
	if release := platform.Release(p.OSVersion); release != "" {
		return p.OS + "/" + p.Architecture + ":" + release
	}
	return p.String()
}
