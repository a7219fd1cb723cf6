package airgap

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// bundleSet is bundles that are pushed together: the volumes of one, the bundles of one release for
// several platforms, or a delta and its base.
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

// platforms names what the bundles are for.
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

// source returns the blobs. Layers that a delta lacks must be in another one of the bundles, or in
// the registry.
func (s *bundleSet) source() transfer.Source {
	return transfer.Source{
		Has: func(h v1.Hash) bool {
			return slices.ContainsFunc(s.bundles, func(b *bundle.Bundle) bool { return b.Has(h) })
		},
		Open: func(h v1.Hash) (io.ReadCloser, error) {
			for _, b := range s.bundles {
				if b.Has(h) {
					return b.Open(h)
				}
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
