package scaffold

import (
	"cmp"
	"slices"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// afterUnknown matches a name of which nothing is known but the end of its tag.
var afterUnknown = lazyregexp.New(`^(?:\$\(\w+\)|\$\{\w+\}|\$\w+)(-[A-Za-z][A-Za-z0-9_.-]*)$`)

// imageTags decides the tags of an image. If no published tag has a version, that is a question.
func (d *Draft) imageTags(i *image, group []made) {
	var all, ends []claim
	for _, m := range group {
		i.tags, i.floats = appendNew(i.tags, m.tags...), appendNew(i.floats, m.floats...)
		for _, b := range m.builds {
			d.note("images["+i.name+"].tags", b.at)
			for _, n := range b.names {
				if m := afterUnknown.FindStringSubmatch(withoutArch(n)); m != nil {
					ends = append(ends, claim{"{{.Version}}" + m[1], develops, b.at})
				} else if _, tag := splitReference(n); b.rank == publishes {
					if tag == "" && shell.Unknown(n) {
						tag = n // which is asked for, and no candidate
					}
					all = append(all, claim{cmp.Or(tag, "latest"), develops, b.at})
				}
			}
		}
	}
	if len(i.tags) == 0 {
		i.tags = d.pushedVersions(i)
	}
	if len(i.tags) > 0 || len(all)+len(ends) == 0 {
		if slices.Equal(i.tags, []string{"{{.Version}}"}) {
			i.tags = nil
		}
		return
	}
	all = slices.DeleteFunc(all, func(c claim) bool {
		t, _ := tagTemplate(c.value)
		return t == "" || shell.Unknown(c.value)
	})
	value := d.decide("images["+i.name+"].tags",
		"the tag of the image "+i.name+" in a release: what publishes gives it none of a version",
		slices.Concat(ends, []claim{{value: "{{.Version}}", rank: develops}}, all))
	if value != "{{.Version}}" {
		i.tags, i.floats = []string{value}, slices.DeleteFunc(i.floats, func(f string) bool { return f == value })
	}
}
