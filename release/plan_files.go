package release

import (
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/platform"
)

// PlannedBundle is a bundle that the release packs.
type PlannedBundle struct {
	File     string            `json:"file"`
	Platform platform.Platform `json:"platform,omitzero"` // zero for all platforms
	// Images is how many images it has at most: which platforms third-party images have is not
	// known yet.
	Images int `json:"images"`
	// Groups are those whose images it has; empty for all images.
	Groups []string `json:"groups,omitempty"`
	// AddsTo is the group to which its own adds, and Adds how many of its images that one has not.
	AddsTo   string `json:"addsTo,omitempty"`
	Adds     int    `json:"adds,omitempty"`
	Sparse   bool   `json:"sparse,omitempty"`   // it lacks the layers that the bundle of AddsTo has
	ListOnly bool   `json:"listOnly,omitempty"` // without an archive
}

// files lists bundles and artifacts. A part of a release packs no bundles.
func (pl *planner) files() {
	p := pl.product
	for _, b := range p.Airgap.Bundles {
		if len(p.Selected) == 0 {
			row := PlannedBundle{File: b.Name + distfile.BundleSuffix, Platform: b.Platform}
			if b.ListOnly {
				row.File = b.Name + distfile.ListSuffix
			}
			count(&row, b, p)
			pl.Bundles = append(pl.Bundles, row)
			if p.Airgap.Gzip && !b.ListOnly {
				row.File = b.Name + distfile.GzipSuffix
				pl.Bundles = append(pl.Bundles, row)
			}
		}
	}
	for _, a := range p.Artifacts {
		for _, on := range a.Platforms {
			for _, f := range p.Files(a, on) {
				pl.Artifacts = append(pl.Artifacts, f.Name)
			}
		}
	}
}
