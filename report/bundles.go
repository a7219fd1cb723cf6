package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// packed is a bundle or a delta, and how it is loaded.
type packed struct {
	File, For, SHA256, Load string
	Bytes                   int64
	Images                  int
	Saves                   string // of a delta: how much less there is to bring
	Adds                    string // of a group: what it has that the group has not to which it adds
}

// bundles lists the bundles, and what a node types to load one.
func (p *page) bundles(all, deltas []bundle.File, groups []lock.Group) {
	for _, f := range all {
		b := packed{
			File: f.Path, For: "a private registry", SHA256: f.SHA256,
			Bytes: f.Size, Images: len(f.Contents.Images),
		}
		b.Load = load(f, p.Keys != "")
		if o := f.Contents.Platform; !o.IsZero() {
			b.For = called(o)
		}
		if g := f.Contents.Groups; len(g) > 0 {
			b.For += ", group " + strings.Join(g, " and ")
			b.Adds = adds(f, all, groups)
		}
		if d := f.Contents.Delta; d != nil { // a page about a delta alone
			b = ofDelta(f, d, p.Keys != "")
		}
		p.Bundles = append(p.Bundles, b)
		if f.Gzip != nil {
			p.Bundles = append(p.Bundles, ofGzip(b, *f.Gzip, f.Contents.Platform))
		}
	}
	for _, f := range deltas {
		p.Bundles = append(p.Bundles, ofDelta(f, f.Contents.Delta, p.Keys != ""))
	}
}

// Where docs/verifying.md keeps the public key of the maintainer.
const (
	keyFile        = "/etc/slipway/keys/release.pub"
	windowsKeyFile = `C:\slipway\keys\release.pub`
)

// load is how a bundle is loaded. A signed one is verified on the way, and one of a snapshot is
// loaded by who names it one.
func load(f bundle.File, signed bool) string {
	var flag, variable, parameter string
	switch {
	case signed:
		flag, variable, parameter = " -key="+keyFile, "KEY="+keyFile+" ", " -Key "+windowsKeyFile
	case f.Contents.Snapshot:
		flag, variable, parameter = " -snapshot", "SNAPSHOT=yes ", " -Snapshot"
	}
	switch of := f.Contents.Platform; {
	case of.IsZero():
		return "slipway airgap push " + completed(f) + " -to=registry.internal/mirror" + flag
	case of.OS == platform.Windows:
		return `.\load-images.ps1` + parameter
	}
	return variable + "./load-images.sh"
}

// completed returns the file of a bundle, after the bundle that a sparse one needs.
func completed(f bundle.File) string {
	if n := f.Contents.Needs; n != nil {
		return n.Bundle + " " + f.Path
	}
	return f.Path
}

// adds says what a bundle of a group has that the bundle has not of the group to which it adds,
// which a node has besides.
func adds(f bundle.File, all []bundle.File, groups []lock.Group) string {
	n := slices.IndexFunc(groups, func(g lock.Group) bool { return slices.Equal(f.Contents.Groups, []string{g.Name}) })
	if n < 0 || groups[n].AddsTo == "" {
		return ""
	}
	to := groups[n].AddsTo
	at := slices.IndexFunc(all, func(o bundle.File) bool {
		return o.Contents.Needs == nil && slices.Equal(o.Contents.Groups, []string{to}) &&
			platform.Same(o.Contents.Platform, f.Contents.Platform)
	})
	if at < 0 {
		return "to " + to
	}
	base := map[string]bool{}
	for _, i := range all[at].Contents.Images {
		base[i.Name] = true
	}
	images, size := 0, int64(0)
	for _, i := range f.Contents.Images {
		if !base[i.Name] {
			images++
		}
	}
	has := all[at].Contents.LayerSet()
	for _, l := range f.Contents.AllLayers() {
		if !has[l.Digest] {
			size += l.Size
		}
	}
	text := fmt.Sprintf("%d images, %s to %s", images, progress.Size(size), to)
	if f.Contents.Needs != nil {
		text += ", without which it does not load"
	}
	return text
}

// AnyAdds reports whether a bundle adds to another one.
func (p *page) AnyAdds() bool {
	return slices.ContainsFunc(p.Bundles, func(b packed) bool { return b.Adds != "" })
}

// ofGzip is the .tar.gz of a bundle. The script for nodes takes it where it has to; no registry
// does.
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
func ofDelta(f bundle.File, d *bundle.Delta, signed bool) packed {
	b := packed{
		File: f.Path, For: fmt.Sprintf("who has %s of %s", d.Base.File, d.Base.Version),
		Bytes: f.Size, Images: len(f.Contents.Images),
	}
	b.Load = fmt.Sprintf("slipway airgap apply %s -base=%s -o=%s", f.Path, d.Base.File, d.Bundle)
	if signed {
		b.Load += " -key=" + keyFile
	}
	b.Saves = "nothing"
	if saved := d.Size - f.Size; saved > 0 {
		b.Saves = fmt.Sprintf("%s of %s (%d %%)", progress.Size(saved), progress.Size(d.Size), 100*saved/d.Size)
	}
	return b
}
