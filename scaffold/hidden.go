package scaffold

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// hidden finds images that a release pushes under names which nothing here tells, such as those
// in secrets. If other names are known, the hidden ones are reported only; otherwise names that
// users have elsewhere prove nothing.
func (d *Draft) hidden(claims map[int][]claim) {
	d.hiddenNames = map[string]bool{}
	for n, i := range d.images {
		if !d.pushesHidden(i) {
			continue
		}
		d.hiddenNames[i.name] = len(claims[n]) == 0
		if !slices.ContainsFunc(claims[n], func(c claim) bool { return c.rank == publishes }) {
			for k := range claims[n] {
				claims[n][k].rank = min(claims[n][k].rank, develops)
			}
		}
	}
}

// pushesHidden reports whether what publishes pushes an image under a name that is not known, and
// says those of its names.
func (d *Draft) pushesHidden(i image) (found bool) {
	for _, p := range i.parts {
		for _, b := range p.builds {
			for k, name := range b.names {
				repository, _ := splitReference(name)
				if b.rank != publishes || b.ofBranches || b.strict != nil && k < len(b.strict.names) ||
					!shell.Unknown(repository) || strings.Contains(repository, "$*") {
					continue
				}
				found = true
				if _, whole := d.wholeName(name); !whole {
					d.leave("names of images that nothing here tells", "%s (%s)", repository, b.at)
				}
			}
		}
	}
	return found
}
