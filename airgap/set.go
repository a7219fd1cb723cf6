package airgap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// bundleSet is bundles that are pushed together: the volumes of one, the bundles of one release
// for several platforms, or a delta and its base.
type bundleSet struct {
	bundles []*bundle.Bundle
	images  []bundle.Image            // each once, with all that any of the bundles includes of it
	stamps  map[string]imagetag.Stamp // of the images, by name
}

func newBundleSet(bundles []*bundle.Bundle) (*bundleSet, error) {
	s := &bundleSet{bundles: bundles, stamps: map[string]imagetag.Stamp{}}
	var errs []error
	for _, b := range bundles {
		if err := b.CheckSeekable(); err != nil {
			return nil, err
		}
		for _, i := range b.Contents().Images {
			if i.Floating && imagetag.IsFull(i.Name[strings.LastIndexByte(i.Name, ':')+1:]) {
				errs = append(errs,
					fmt.Errorf("%s is marked as a floating tag, and a full version never moves: "+
						"the bundle was changed: take it from the maintainer again", i.Name))
				continue
			}
			own := stamp(b.Contents(), i)
			at := slices.IndexFunc(s.images, func(o bundle.Image) bool { return o.Name == i.Name })
			switch {
			case at < 0:
				s.images, s.stamps[i.Name] = append(s.images, i), own
			case s.images[at].Digest() != i.Digest() && s.newer(at, i, own):
			case s.images[at].Digest() != i.Digest():
				errs = append(errs,
					fmt.Errorf("%s is %s in one bundle and %s in another: push bundles of one release together", i.Name,
						s.images[at].Digest(), i.Digest()))
			default:
				s.images[at] = s.images[at].Union(i)
			}
		}
	}
	return s, errors.Join(errs...)
}

// refuseSnapshot refuses bundles of snapshots, unless the options allow them.
func (s *bundleSet) refuseSnapshot(o PushOptions) error {
	for _, b := range s.bundles {
		if c := b.Contents(); c.Snapshot && !o.Snapshot {
			return fmt.Errorf("pushing to %s: the bundle of %s %s is of a snapshot, which no registry got: its tags "+
				"would be taken when the release comes; take the bundle of a release, which -registry makes, or name "+
				"-snapshot for a test", o.To, c.Product, c.Version)
		}
	}
	return nil
}

// stubBases reports whether an image has a stub base, so that it cannot run.
func (s *bundleSet) stubBases() bool {
	return slices.ContainsFunc(s.bundles, func(b *bundle.Bundle) bool { return b.Contents().StubBases })
}

// platforms names the platforms of the bundles.
func (s *bundleSet) platforms() string {
	var all []string
	for _, b := range s.bundles {
		p := "some platforms"
		if c := b.Contents(); !c.Platform.IsZero() {
			p = c.Platform.String()
		}
		all = append(all, p)
	}
	return strings.Join(all, ",")
}

// source returns the blobs. Layers that a delta lacks must be in another one of the bundles, or
// in the registry.
func (s *bundleSet) source() transfer.Source {
	return transfer.Source{
		Has: func(h v1.Hash) bool {
			return slices.ContainsFunc(s.bundles, func(b *bundle.Bundle) bool { return b.Has(h) })
		},
		Open: func(h v1.Hash) (io.ReadCloser, error) {
			if r, err := bundle.OpenBlob(h, s.bundles...); !errors.Is(err, oci.ErrAbsent) {
				return r, err
			}
			for _, b := range s.bundles {
				if d := b.Contents().Delta; d != nil && slices.Contains(d.Lacking, h) {
					return nil, fmt.Errorf("the registry does not have it, and neither has this delta: "+
						"its base has, %s of version %s: push that first", d.Base.File, d.Base.Version)
				}
			}
			for _, b := range s.bundles {
				if n := b.Contents().Needs; n.Lacks(h) {
					return nil, fmt.Errorf("the registry does not have it, and neither has this bundle, which adds to "+
						"group %s: push %s with it, or first", strings.Join(n.Groups, " and "), n.Bundle)
				}
			}
			return nil, fmt.Errorf("%s is not in the bundle", h)
		},
	}
}

// PushedTag is the outcome of a floating tag, such as latest.
type PushedTag struct {
	Name   string  `json:"name"`   // in the bundle
	Target string  `json:"target"` // registry/repository:tag
	Digest v1.Hash `json:"digest"` // of the image that it is to name
	// From is the digest that the tag named before, zero if the tag did not exist.
	From v1.Hash `json:"from,omitzero"`
	// Kept is why the tag stays, empty if the tag names the image now.
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
