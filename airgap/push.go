package airgap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// PushOptions configure where a bundle is pushed.
type PushOptions struct {
	// To is host[/prefix], which replaces the host in the name of every image; the path is kept.
	To string
	// Platforms are those that are pushed: linux, windows, linux/amd64, windows/amd64:ltsc2022. The
	// indexes are sparse then, as those of a bundle for one platform are; many registries refuse
	// these. None means all, and that every index must be complete.
	Platforms []string
	// Release is the path of a release.yaml. A copy with every reference to an image of the bundle
	// renamed is written to Out, by default in the same directory, named after the registry.
	Release, Out string
	// Floating is how floating tags move: forward, to a newer image only, which is the default;
	// move, whatever they name; or keep.
	Floating string
	// Referrers decides which referrers may be omitted. Possible evidence of the release, on images
	// of the product, is always pushed.
	Referrers oci.ReferrerRule
	// Snapshot allows bundles of snapshots, for tests.
	Snapshot bool
	Registry network.Options
}

// Pushed is the result of a push.
type Pushed struct {
	To     string        `json:"to"`
	Images []PushedImage `json:"images"`
	Charts []PushedChart `json:"charts,omitempty"`
	// FloatingTags have moved, or stay, after all else is pushed.
	FloatingTags []PushedTag `json:"floatingTags,omitempty"`
	// Omitted are images without any of the platforms selected.
	Omitted []bundle.Omission `json:"omitted,omitempty"`
	// Referrers is how many signatures and other artifacts of the images were pushed.
	Referrers int `json:"referrers"`
	// OmittedReferrers were omitted, as PushOptions.Referrers permits.
	OmittedReferrers []transfer.OmittedReferrer `json:"omittedReferrers,omitempty"`
	Blobs            int64                      `json:"blobs"` // how many were sent
	Bytes            int64                      `json:"bytes"` // of those
	Release          *renaming.Release          `json:"release,omitempty"`

	floating []transfer.Floating // FloatingTags, for the client
}

// PushedImage is an image and its name in the registry.
type PushedImage struct {
	Name      string `json:"name"`      // in the bundle
	Target    string `json:"target"`    // registry/repository:tag
	Reference string `json:"reference"` // registry/repository@digest
	Existed   bool   `json:"existed"`   // the registry had it before
	// NotInRegistry are the platforms of the index that the registry lacks: the index is sparse.
	NotInRegistry []string `json:"notInRegistry,omitempty"`
}

// Push sends the images of bundles to a registry, byte for byte, so that they keep their digests,
// and the charts with the names that the images have there. Several bundles are pushed as one:
// volumes, or the bundles for several platforms. Blobs are read from the bundles as they are
// sent, each once. What the registry has is not sent again, so that a push that was interrupted
// continues. Nothing is sent if two images would get one name, if a tag other than cosign's names
// another digest, or if a reference in release.yaml is not in the bundles. Floating tags move
// last of all, so that a push that fails has moved none.
func Push(ctx context.Context, bundles []*bundle.Bundle, o PushOptions) (*Pushed, error) {
	if err := imagename.CheckRegistry(o.To); err != nil {
		return nil, howto.Usage("-to %w", err)
	}
	if err := imagetag.CheckRule(o.Floating); err != nil {
		return nil, err
	}
	s, err := newBundleSet(bundles)
	if err != nil {
		return nil, err
	}
	if err := s.refuseSnapshot(o); err != nil {
		return nil, err
	}
	if host, _, _ := strings.Cut(o.To, "/"); s.stubBases() && !imagename.Loopback(host) {
		return nil, fmt.Errorf("pushing to %s: the bundle was built on stub bases and cannot run: "+
			"push to a loopback registry, or pack a release built with -registry", o.To)
	}
	if err := collisions(s.images, o.To); err != nil {
		return nil, err
	}
	release, err := rename(s.images, o)
	if err != nil {
		return nil, err
	}
	charts, err := newChartPush(ctx, s, o)
	if err != nil {
		return nil, err
	}
	p := &Pushed{To: o.To}
	images, err := s.selected(o, p)
	if err != nil {
		return nil, err
	}
	images, referrers := images[:len(p.Images)], images[len(p.Images):]
	more, about, err := charts.plan(p)
	if err != nil {
		return nil, err
	}
	client := transfer.New(o.Registry)
	all := slices.Concat(images, more, referrers, about)
	r, err := client.Push(ctx, all, charts.withNames(), transfer.PushOptions{
		Task: "push", Conflict: conflict, Referrers: o.Referrers,
	})
	if err != nil {
		return nil, err
	}
	p.sent(r, len(images)+len(more))
	if err := charts.write(ctx, p); err != nil {
		return nil, err
	}
	if release != nil {
		if err := release.Write(ctx, o.Registry); err != nil {
			return nil, err
		}
		p.Release = release
	}
	return p, p.moveFloating(ctx, client, o.Floating)
}

// sent records the outcomes of the images and charts. The outcomes from the n-th on are of
// referrers.
func (p *Pushed) sent(r *transfer.Result, n int) {
	for k, out := range r.Outcomes[:len(p.Images)] {
		p.Images[k].Existed = out.Existed
		for _, d := range out.NotInRegistry {
			p.Images[k].NotInRegistry = append(p.Images[k].NotInRegistry, oci.PlatformName(d))
		}
	}
	for k := range p.Charts {
		p.Charts[k].Existed = r.Outcomes[len(p.Images)+k].Existed
	}
	p.Blobs, p.Bytes, p.Referrers, p.OmittedReferrers = r.Blobs, r.Bytes, len(r.Outcomes)-n, r.Omitted
	for _, out := range r.Outcomes[n:] {
		if out.Skipped {
			p.Referrers--
		}
	}
}

// conflict describes a tag that names another digest in the registry.
func conflict(i transfer.Image, have v1.Hash) (what, todo string) {
	return fmt.Sprintf("pushing %s: %s is %s in the registry already, and %s here",
		i.Name, i.Ref, have, i.Tree.Desc.Digest), "push under another prefix, or delete that tag if it is not in use"
}

// collisions reports different images that would get one name in the registry.
func collisions(images []bundle.Image, to string) error {
	var errs []error
	taken := map[string]bundle.Image{}
	for _, i := range images {
		t, err := retarget(i.Name, to)
		if err != nil {
			return err
		}
		first, twice := taken[t.Name()]
		if twice && first.Digest() != i.Digest() {
			errs = append(errs,
				fmt.Errorf("%s (%s) and %s (%s) would both become %s: "+
					"one registry and prefix cannot have both; make two bundles of them",
					first.Name, first.Digest(), i.Name, i.Digest(), t))
		}
		taken[t.Name()] = i
	}
	return errors.Join(errs...)
}
