//go:build linux

package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	packed "github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/platform"
)

// inspected are the bundles of a directory, by the names of their files.
func (w *world) inspected(dir string) map[string]*packed.Contents {
	all := map[string]*packed.Contents{}
	for _, path := range w.bundles(dir) {
		all[filepath.Base(path)] = w.inspect(path)
	}
	return all
}

func (w *world) inspect(path string) *packed.Contents {
	c, err := packed.Inspect(w.path(path))
	must(w.t, err)
	return c
}

// grouped checks the bundles of groups: each has the images of its groups as a bundle of all images
// has them, a sparse one lacks what its base has and nothing else, and lists name what is there.
func (w *world) grouped(r *result, dir string) {
	if len(w.p.groups) == 0 {
		return
	}
	all := w.inspected(dir)
	of := w.members(dir)
	for file, c := range all {
		if len(c.Groups) == 0 {
			continue
		}
		w.completed(r, all, file, c)
		for other, whole := range all {
			if len(whole.Groups) > 0 || whole.Platform.String() != c.Platform.String() {
				continue
			}
			var want []string
			for _, i := range whole.Images {
				if !i.Chart && slices.ContainsFunc(of[i.Digest()], func(g string) bool { return slices.Contains(c.Groups, g) }) {
					want = append(want, i.Reference())
				}
			}
			if have := references(c); !slices.Equal(have, want) {
				w.fail(r, "%s has %q, and of its groups %s has %q", file, have, other, want)
			}
		}
	}
	for file, c := range all {
		text, err := os.ReadFile(w.path(dir + "/" + strings.TrimSuffix(file, ".tar.zst") + ".txt"))
		must(w.t, err)
		if have, want := strings.Fields(string(text)), listed(c); !slices.Equal(have, want) {
			w.fail(r, "the list of %s has %q, and the bundle %q", file, have, want)
		}
	}
	w.listsOnly(r, dir, all)
}

// completed checks that a sparse bundle and its base have all layers of its images, each once.
func (w *world) completed(r *result, all map[string]*packed.Contents, file string, c *packed.Contents) {
	if c.Needs == nil {
		return
	}
	base := all[c.Needs.Bundle]
	if base == nil || base.Needs != nil || !slices.Equal(base.Groups, c.Needs.Groups) {
		w.fail(r, "%s needs %+v", file, c.Needs)
		return
	}
	has, own := base.LayerSet(), c.LayerSet()
	for _, l := range c.AllLayers() {
		if has[l.Digest] == own[l.Digest] || has[l.Digest] != slices.Contains(c.Needs.Lacking, l.Digest) {
			w.fail(r, "%s: layer %s is in the base: %v, in itself: %v", file, l.Digest, has[l.Digest], own[l.Digest])
		}
	}
}

// listsOnly checks the lists that no bundle has.
func (w *world) listsOnly(r *result, dir string, all map[string]*packed.Contents) {
	everything := all["everything.tar.zst"]
	if everything == nil {
		return
	}
	of := w.members(dir)
	for _, path := range w.files(dir, ".txt") {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if all[name+".tar.zst"] != nil {
			continue
		}
		var want []string
		for _, i := range everything.Images {
			if !i.Chart && (name != "listed" || len(of[i.Digest()]) > 0 && w.onNodes(i)) {
				want = append(want, i.Name)
			}
		}
		slices.Sort(want)
		text, err := os.ReadFile(w.path(path))
		must(w.t, err)
		if have := strings.Fields(string(text)); !slices.Equal(have, want) {
			w.fail(r, "%s has %q, want %q", path, have, want)
		}
	}
}

// onNodes reports whether a bundle for one platform of the product has an image: it has none of
// lifecycle, and none that others made for other platforms.
func (w *world) onNodes(i packed.Image) bool {
	var has []platform.Platform
	for _, m := range i.Manifests {
		has = append(has, m.Platform)
	}
	if !slices.ContainsFunc(w.p.platforms, func(text string) bool {
		p, err := platform.Parse(text)
		must(w.t, err)
		return platform.Best(p, has) >= 0
	}) {
		return false
	}
	for _, own := range w.p.yaml["images"].([]object) {
		if own["lifecycle"] != nil && strings.Contains(i.Name, own["name"].(string)+":") {
			return false
		}
	}
	return true
}

// members are the groups of the images of a lock, by their digests.
func (w *world) members(dir string) map[v1.Hash][]string {
	l, all := w.locked(dir), map[v1.Hash][]string{}
	for _, i := range l.Images {
		all[i.Digest] = append(all[i.Digest], i.Groups...)
		for _, tag := range i.PlatformTags { // names of some platforms
			all[tag.Digest] = append(all[tag.Digest], i.Groups...)
		}
	}
	for _, t := range l.ThirdParty {
		all[t.Digest] = append(all[t.Digest], t.Groups...)
	}
	return all
}

// references are the images of a bundle by digest; listed are their names. Charts are neither.
func references(c *packed.Contents) (all []string) {
	for _, i := range c.Images {
		if !i.Chart {
			all = append(all, i.Reference())
		}
	}
	return all
}

func listed(c *packed.Contents) (all []string) {
	for _, i := range c.Images {
		if !i.Chart {
			all = append(all, i.Name)
		}
	}
	return all
}

// groupBundles verifies each bundle of groups alone, and a sparse one with its base: together they
// are pushed, and alone what is lacking is said.
func (w *world) groupBundles() {
	if len(w.p.groups) == 0 {
		return
	}
	for file, c := range w.inspected("out") {
		if len(c.Groups) == 0 {
			continue
		}
		w.ok(w.reads("verify", "-lock=out/release.lock.json", "out/"+file))
		if c.Needs == nil {
			continue
		}
		base := "out/" + c.Needs.Bundle
		r := w.ok(w.reads("verify", "-lock=out/release.lock.json", "out/"+file, base))
		if !strings.Contains(r.stdout+r.stderr, c.Needs.Bundle) {
			w.fail(r, "it does not say what completes the bundle")
		}
	}
}
