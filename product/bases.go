package product

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// scratch is the base of that name, which every product has.
const scratch = "scratch"

func (c *checker) base(in *baseYAML) {
	if in.Name == scratch && in.Builtin != scratch {
		c.errorf(&in.Name, "scratch is the empty base of every product: take another name")
	}
	b := Base{Name: in.Name, Builtin: in.Builtin}
	var before []v1.Platform
	for _, key := range slices.Sorted(maps.Keys(in.Images)) {
		pos := c.pos(c.places[entry{&in.Images, key}].value)
		ref, tag, err := parseReference(in.Images[key])
		if err != nil {
			c.at(pos, "%v", err)
		}
		p, perr := platform.Parse(key)
		if perr != nil {
			c.keyErrorf(&in.Images, key, "%v", perr)
		} else if same, ok := findPlatform(before, p); ok {
			c.keyErrorf(&in.Images, key, "%s", sameSystem(same, p))
		}
		if err != nil || perr != nil {
			continue
		}
		before = append(before, p)
		b.Images = append(b.Images, BaseImage{Platform: p, Reference: ref, Tag: tag, Pos: pos})
	}
	slices.SortFunc(b.Images, func(x, y BaseImage) int {
		return cmp.Or(platform.Compare(x.Platform, y.Platform), cmp.Compare(x.Reference.Name(), y.Reference.Name()))
	})
	c.out.Bases = append(c.out.Bases, b)
}

// pinned reports bases that a tag alone names, which a release to a registry must not stand on.
func (c *checker) pinned() {
	for _, b := range c.out.Bases {
		for _, i := range b.Images {
			if _, ok := i.Reference.(name.Digest); !ok {
				c.at(i.Pos, "base %s for %s is not pinned: write %s@sha256:…, since a release must not change when a tag moves",
					b.Name, platform.Format(i.Platform), i.Reference)
			}
		}
	}
}

// stands reports a base that an image cannot stand on, for one operating system.
func (c *checker) stands(in *imageYAML, os string, on []v1.Platform) {
	use, ok := in.Bases[os]
	if !ok {
		if !c.bad(&in.Bases) && !c.bad(entry{&in.Bases, os}) {
			c.errorf(&in.Go, "image %s has no base for %s: name one under bases, beside go", in.Name, os)
		}
		return
	}
	at := c.pos(c.places[entry{&in.Bases, os}].value)
	if use == scratch {
		return
	}
	if why := c.bases.unknown(use); why != "" {
		c.at(at, "%s", why)
		return
	}
	b, ok := c.out.Base(use)
	switch {
	case !ok || b.Builtin == scratch || b.Builtin == "" && len(b.Images) == 0:
		return
	case b.Builtin != "":
		if os != platform.Linux {
			c.at(at, "base %s is for Linux: name another for %s", use, os)
		}
		return
	}
	for _, p := range on {
		if p.OS == os && !slices.ContainsFunc(b.Images, func(i BaseImage) bool { return platform.Same(i.Platform, p) }) {
			c.at(at, "base %s has no image for %s: add one under bases", use, platform.Format(p))
		}
	}
}
