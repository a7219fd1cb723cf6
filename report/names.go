package report

import (
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/slipway-dev/slipway/lock"
)

// names lists what was published under which names.
func (p *page) names(l *lock.Lock) {
	add := func(name, repository string, copies, tags []string, floating []lock.FloatingTag, d v1.Hash) {
		n := named{Name: name, Repository: repository, Copies: copies, Tags: tags, Digest: d.String(), Short: short(d)}
		for _, f := range floating {
			if f.Repository != "" && "oci://"+f.Repository != repository && f.Repository != repository {
				f.Tag = f.Repository + ":" + f.Tag
			}
			if f.Kept != "" {
				n.Moved = append(n.Moved, fmt.Sprintf("%s stays: %s", f.Tag, f.Kept))
			} else {
				n.Moved = append(n.Moved, f.Tag+" moves to it")
			}
		}
		p.Names = append(p.Names, n)
	}
	for _, i := range l.Images {
		tags := slices.Clone(i.Tags)
		for _, t := range i.PlatformTags {
			tags = append(tags, t.Tag)
		}
		add(i.Name, i.Repository, i.Copies, tags, i.FloatingTags, i.Digest)
	}
	for _, c := range l.Charts {
		add("chart "+c.Name, "oci://"+c.Repository, c.Copies, c.Tags, c.FloatingTags, c.Digest)
	}
}
