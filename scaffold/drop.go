package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/workload"
)

// leftOut begins the comment of what was taken out.
const leftOut = "Left out, since "

// dropManifest makes a comment of a file of manifests.
func (d *Draft) dropManifest(name, why string) bool {
	why, _, _ = strings.Cut(why, "\n")
	for i := range d.templates {
		e := &d.templates[i]
		rel, in := within(name, e.path)
		switch {
		case !in:
		case rel != "." && !e.kustomize:
			d.expand(i)
			return d.dropManifest(name, why)
		case e.dropped != "":
			return true
		default:
			if e.kustomize {
				name = e.path
			}
			if other := sameObject.FindStringSubmatch(why); other != nil && len(other[1]) > len(name) &&
				other[1] != name {
				return d.dropManifest(other[1], "the same object is in "+name+", which is for another way to run it")
			}
			e.dropped = leftOut + why
			d.hand("%s: not in release.yaml: %s", name, why)
			return true
		}
	}
	return false
}

var sameObject = lazyregexp.New(`the same object is at ([^:\s]+):`)

// expand replaces a directory by its contents.
func (d *Draft) expand(i int) {
	var inner []entry
	dir := d.templates[i].path
	for _, f := range d.tree.files {
		rel, ok := within(f, dir)
		if !ok || !workload.IsManifest(f) {
			continue
		}
		first, _, _ := strings.Cut(rel, "/")
		inner = appendNew(inner, entry{path: path.Join(dir, first)})
	}
	d.templates = slices.Replace(d.templates, i, i+1, inner...)
}
