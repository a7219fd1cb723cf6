package report

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
)

// packed is a bundle or a delta, and how it is loaded.
type packed struct {
	File, For, SHA256, Load string
	Bytes                   int64
	Images                  int
	Saves                   string // of a delta: how much less there is to bring
}

// bundles lists the bundles, and what a node types to load one.
func (p *page) bundles(all, deltas []bundle.File) {
	for _, f := range all {
		b := packed{
			File: f.Path, For: "a private registry", SHA256: f.SHA256,
			Bytes: f.Size, Images: len(f.Contents.Images),
		}
		b.Load = "slipway airgap push " + f.Path + " -to=registry.internal/mirror"
		if o := f.Contents.Platform; !o.IsZero() {
			b.For = called(o)
			b.Load = "./load-images.sh"
			if o.OS == platform.Windows {
				b.Load = `.\load-images.ps1`
			}
		}
		if d := f.Contents.Delta; d != nil { // a page about a delta alone
			b = ofDelta(f, d)
		}
		p.Bundles = append(p.Bundles, b)
		if f.Gzip != nil {
			p.Bundles = append(p.Bundles, ofGzip(b, *f.Gzip, f.Contents.Platform))
		}
	}
	for _, f := range deltas {
		p.Bundles = append(p.Bundles, ofDelta(f, f.Contents.Delta))
	}
}

// ofGzip is the .tar.gz of a bundle. The script for nodes takes it where it has to; no registry does.
func ofGzip(b packed, f bundle.Archive, of platform.Platform) packed {
	b.File, b.SHA256, b.Bytes = f.Path, f.SHA256, f.Size
	b.For += ", without zstd"
	if of.IsZero() {
		b.For = "who has no zstd"
		b.Load = "gzip -dc " + f.Path + " | ctr -n k8s.io images import -"
	}
	return b
}

// AnyDelta reports whether a delta is among the bundles.
func (p *page) AnyDelta() bool {
	return slices.ContainsFunc(p.Bundles, func(b packed) bool { return b.Saves != "" })
}

// ofDelta is a delta, for who has its base.
func ofDelta(f bundle.File, d *bundle.Delta) packed {
	b := packed{
		File: f.Path, For: fmt.Sprintf("who has %s of %s", d.Base.File, d.Base.Version),
		Bytes: f.Size, Images: len(f.Contents.Images),
	}
	b.Load = fmt.Sprintf("slipway airgap apply %s -base=%s -out=%s", f.Path, d.Base.File, d.Bundle)
	b.Saves = "nothing"
	if saved := d.Size - f.Size; saved > 0 {
		b.Saves = fmt.Sprintf("%s of %s (%d %%)", progress.Size(saved), progress.Size(d.Size), 100*saved/d.Size)
	}
	return b
}
