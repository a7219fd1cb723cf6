package promote

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/product"
)

// decide decides whether a tag moves from what it names now to an image of the release.
func (t *FloatingTag) decide(rule string, now transfer.Current, image imagetag.Stamp) {
	t.From = now.Digest
	switch {
	case now.Digest == t.Digest:
		t.Reason = "it names this image already"
	case rule == product.FloatingKeep:
		t.Reason = "-floating=" + rule
	case now.Digest == v1.Hash{}:
		t.Moved, t.Reason = true, "it is new"
	case rule == product.FloatingMove:
		t.Moved, t.Reason = true, "-floating="+rule
	default:
		t.Moved, t.Reason = imagetag.Forward(now.Stamp, image)
	}
}

// stamps returns version and time of the images: those that an image states, or else those of the
// release.
func (p *promotion) stamps() map[v1.Hash]imagetag.Stamp {
	all := map[v1.Hash]imagetag.Stamp{}
	for _, i := range p.images {
		for _, t := range i.floating {
			all[t.desc.Digest] = transfer.StampOf(t.tree).Or(i.stamp)
		}
	}
	return all
}
