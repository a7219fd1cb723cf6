package airgap

import (
	"context"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// PushedTag is a floating tag, such as latest, and what became of it.
type PushedTag struct {
	Name   string  `json:"name"`   // in the bundle
	Target string  `json:"target"` // registry/repository:tag
	Digest v1.Hash `json:"digest"` // of the image that it is to name
	// From is the digest that the tag named before. It is zero if the tag did not exist.
	From v1.Hash `json:"from,omitzero"`
	// Kept is why the tag stays. It is empty if the tag names the image now.
	Kept string `json:"kept,omitempty"`
}

// stamp returns the version and the time of an image: its own, or those of the bundle.
func stamp(c *bundle.Contents, i bundle.Image) imagetag.Stamp {
	return transfer.StampOf(i.Tree).Or(imagetag.Stamp{Version: c.Version, Created: c.Created})
}

// newer decides which of two images a floating tag names, if two bundles that are pushed together
// have it, as a delta and its base do: that of the later release.
func (s *bundleSet) newer(at int, i bundle.Image, own imagetag.Stamp) (ok bool) {
	have := &s.images[at]
	if !i.Floating || !have.Floating {
		return false
	}
	if ok, _ := imagetag.Forward(s.stamps[i.Name], own); ok {
		*have, s.stamps[i.Name] = i, own
		return true
	}
	ok, _ = imagetag.Forward(own, s.stamps[i.Name])
	return ok
}

// tagged reports whether an image has a tag besides a floating one.
func (s *bundleSet) tagged(i bundle.Image) bool {
	return slices.ContainsFunc(s.images, func(o bundle.Image) bool {
		return !o.Floating && o.Reference() == i.Reference()
	})
}

// addFloating adds to p that a floating tag is to name an image, which is t in the registry.
func (s *bundleSet) addFloating(p *Pushed, i bundle.Image, ref name.Tag, t *oci.Tree) {
	p.FloatingTags = append(p.FloatingTags, PushedTag{Name: i.Name, Target: ref.Name(), Digest: t.Desc.Digest})
	p.floating = append(p.floating, transfer.Floating{Ref: ref, Tree: t, Stamp: s.stamps[i.Name]})
}

// moveFloating moves the floating tags of p by a rule.
func (p *Pushed) moveFloating(ctx context.Context, c *transfer.Client, rule string) error {
	decided, err := c.Decide(ctx, rule, p.floating)
	if err != nil {
		return err
	}
	var moves []transfer.Move
	for n, d := range decided {
		p.FloatingTags[n].From, p.FloatingTags[n].Kept = d.From, d.Kept
		if d.Kept == "" {
			moves = append(moves, d.Move)
		}
	}
	_, err = c.Move(ctx, moves)
	return err
}
