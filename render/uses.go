package render

import (
	"fmt"
	"slices"
	"strings"

	"carvel.dev/ytt/pkg/filepos"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// use is a string that is an image reference, or has one in it.
type use struct {
	doc   int
	leaf  leaf
	image bool     // the whole string is the reference
	names []string // what it is called: a variable, a ConfigMap's key, a field path
}

// imageLeaf reports whether a string of a document is an image by its place, and what it is
// called there.
func imageLeaf(d Document, l leaf) (bool, []string) {
	if d.Kind == "ConfigMap" && d.APIVersion == "v1" {
		if len(l.path) != 2 || l.path[0] != "data" {
			return false, nil
		}
		return imageName(l.key()) || pinned(l.value), []string{d.Name, l.key()}
	}
	volume := len(l.path) > 1 && l.key() == "reference" && l.path[len(l.path)-2] == "image"
	if l.key() != "image" && !volume {
		return false, nil
	}
	for _, p := range l.path {
		if p == "metadata" || p == "selector" || p == "matchLabels" {
			return false, nil
		}
	}
	return true, l.path
}

// note records a use, or a further name of one.
func (c *checker) note(n int, l leaf, image bool, names []string) {
	id := fmt.Sprint(n, " ", l)
	u := c.byLeaf[id]
	if u == nil {
		u = &use{doc: n, leaf: l}
		c.byLeaf[id] = u
		c.uses = append(c.uses, u)
	}
	u.image = u.image || image
	u.names = append(u.names, names...)
}

// use checks one: what it refers to, and whether that fits its names.
func (c *checker) use(u *use) {
	if !u.image {
		for _, m := range mentions(c.images, u.leaf.value) {
			if !strings.HasPrefix(m.rest, "@"+m.image.Digest) {
				c.add(u.doc, u.leaf, "image %s is not pinned to the lock's digest: write %s", m.image.Name, m.image.Reference)
			}
		}
		return
	}
	i, fault, what := c.images.Resolve(u.leaf.value)
	if fault == lock.KoName {
		return // which is found wherever it is
	}
	if fault != lock.NoFault {
		c.add(u.doc, u.leaf, "%s", what)
		return
	}
	if slices.ContainsFunc(u.names, windowsName) && !i.Runs(platform.Windows) {
		c.add(u.doc, u.leaf, "%s", noWindows(i))
	}
}

// unresolved finds names that ko is to resolve. Package lint has a rule of this name, too.
func (c *checker) unresolved(n int, l leaf) {
	if c.ko {
		return
	}
	for _, ref := range lock.KoNames(l.value) {
		_, _, what := c.images.Resolve(ref)
		c.add(n, l, "%s [%s]", what, ruleKo)
	}
}

const ruleKo = "image-ko"

func noWindows(i lock.CatalogImage) string {
	return fmt.Sprintf("it is named for Windows, but image %s has no files for windows: add a Windows platform to it, or name another", i.Name)
}

// valueUses returns the data values that are pinned references, by the names of their path.
func valueUses(p *product.Product, values map[string]any) []use {
	var list []use
	expandAny(values, nil, func(path []string, s string) string {
		if pinned(s) {
			list = append(list, use{leaf: leaf{slices.Clone(path), s, filepos.NewUnknownPositionInFile(p.Path)}})
		}
		return s
	})
	return list
}

// value checks a data value that is named for Windows. What else may be wrong with it is found
// where it is used.
func (c *checker) value(u use) {
	if i, ok := c.images.Find(u.leaf.value); ok && windowsName(u.leaf.String()) && !i.Runs(platform.Windows) {
		c.findings = append(c.findings, finding{-1, fmt.Sprintf("%s: release.values.%s: %s", u.leaf.pos.GetFile(), u.leaf, noWindows(i))})
	}
}
