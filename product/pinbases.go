package product

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/howto"
)

// locked pins the bases by the entries of bases.lock.yaml. Bases that nothing pins, and those
// that differ between slipway.yaml and the lock, become demands of a release to a registry; a
// snapshot builds on stub bases and goes on.
func (c *checker) locked(entries []LockedBase) {
	for n := range c.out.Bases {
		b := &c.out.Bases[n]
		var unlocked []BaseImage
		for i := range b.Images {
			if !c.pin(b.Name, &b.Images[i], entries) {
				unlocked = append(unlocked, b.Images[i])
			}
		}
		c.unlocked(b.Name, unlocked)
	}
	for _, e := range entries {
		if e.Base == e.Reference && !slices.ContainsFunc(c.out.Bases, func(b Base) bool { return b.Name == e.Base }) {
			c.out.LockedReferences = append(c.out.LockedReferences, e)
		}
	}
}

// unlocked makes a demand of the images of a base that nothing pins.
func (c *checker) unlocked(base string, images []BaseImage) {
	if len(images) == 0 {
		return
	}
	what := "their digests"
	var on []string
	for _, i := range images {
		on = append(on, i.Platform.String())
	}
	if !slices.ContainsFunc(images, func(i BaseImage) bool { return i.Reference != images[0].Reference }) {
		what = "the digest of " + images[0].Reference.String()
	}
	c.demands.At(images[0].Pos, "base %s is not locked for %s: run %s, which writes %s into %s%s",
		base, strings.Join(on, ", "), howto.Run("pin bases"), what, BasesLock, Since)
}

// pin pins one image, and reports whether something does.
func (c *checker) pin(base string, i *BaseImage, entries []LockedBase) bool {
	for n := range entries {
		if entries[n].isFor(base, i.Platform) {
			i.Lock = &entries[n]
		}
	}
	what := fmt.Sprintf("base %s for %s", base, i.Platform)
	switch {
	case i.Lock == nil && i.Inline:
	case i.Lock == nil:
		return false
	case i.Lock.Reference != Unpinned(*i):
		c.demands.At(i.Lock.Pos, "%s is locked as %s, and %s names %s: run %s", what, i.Lock.Reference,
			c.out.Path, Unpinned(*i), howto.Run("pin bases"))
		i.Lock = nil
	case i.Inline && i.Reference.Identifier() != i.Lock.Digest.String():
		c.demands.At(i.Lock.Pos, "%s is locked at %s, and %s has %s: run %s", what, i.Lock.Digest,
			c.out.Path, i.Reference.Identifier(), howto.Run("pin bases"))
		i.Lock = nil
	case !i.Inline:
		if d, err := name.NewDigest(i.Lock.Reference+"@"+i.Lock.Digest.String(), name.WithDefaultTag("")); err == nil {
			i.Reference = d
		}
	}
	return true
}

// Unpinned returns the reference of a base without its digest, as bases.lock.yaml has it.
func Unpinned(i BaseImage) string {
	ref, _, _ := strings.Cut(i.Reference.String(), "@")
	return ref
}

// Since is why a release to a registry pins every image. What asks for a pin ends with it.
const Since = ", since a release must not change when a tag moves"

// Once leaves [Since] to the first of the lines that end with it.
func Once(lines []string) []string {
	stated := false
	var all []string
	for _, line := range lines {
		if short, ok := strings.CutSuffix(line, Since); ok && stated {
			line = short
		} else if ok {
			stated = true
		}
		all = append(all, line)
	}
	return all
}
