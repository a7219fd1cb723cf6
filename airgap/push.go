package airgap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/product"
)

// PushOptions say where a bundle goes.
type PushOptions struct {
	// To is host[/prefix]. It takes the place of the host in the name of every image; the path is
	// kept.
	To string
	// Platforms cuts the push down: linux, windows, linux/amd64, windows/amd64:ltsc2022. The
	// indexes are sparse then, and so they are where the bundle is for one platform; many
	// registries refuse those. None means all, and that every index has to be complete.
	Platforms []string
	// Release is the path of a release.yaml; Out gets it with every reference to an image of the
	// bundle renamed. Out is by default beside it, named after the host.
	Release, Out string
	Registry     network.Options
}

// Pushed says what a push did.
type Pushed struct {
	To     string        `json:"to"`
	Images []PushedImage `json:"images"`
	// images that have none of the platforms selected
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// Referrers is how many signatures and other artifacts about images went with them.
	Referrers int      `json:"referrers"`
	Blobs     int64    `json:"blobs"` // how many were sent
	Bytes     int64    `json:"bytes"` // of those
	Release   *Renamed `json:"release,omitempty"`
}

// PushedImage is an image and its name in the registry.
type PushedImage struct {
	Name      string `json:"name"`      // in the bundle
	Target    string `json:"target"`    // registry/repository:tag
	Reference string `json:"reference"` // registry/repository@digest
	There     bool   `json:"there"`     // the registry had it before
	// Lacking are the platforms of the index that the registry does not have: the index is sparse.
	Lacking []string `json:"lacking,omitempty"`
}

// Push sends the images of bundles to a registry, byte for byte, so that they keep their digests.
// Several bundles count as one: volumes, or the bundles for several platforms. Blobs are read out
// of the bundles as they are sent, each once; what the registry has is not sent again, so that a
// push that was interrupted goes on where it was. Nothing is sent where two images would get one
// name, where a tag stands for another digest, unless it is one of cosign, which move; or where a
// reference in release.yaml is not in the bundles.
func Push(ctx context.Context, bundles []*Bundle, o PushOptions) (*Pushed, error) {
	if err := product.CheckRegistry(o.To); err != nil {
		return nil, fmt.Errorf("-to %w", err)
	}
	c, err := load(bundles)
	if err != nil {
		return nil, err
	}
	if host, _, _ := strings.Cut(o.To, "/"); c.standIn() && !network.Loopback(host) {
		return nil, fmt.Errorf("pushing to %s: images of this bundle stand on stand-ins of snapshots, which cannot run: it can be pushed to a loopback address only; "+
			"pack a bundle of a release that was built with -registry", o.To)
	}
	if err := collisions(c.images, o.To); err != nil {
		return nil, err
	}
	release, err := readRelease(o, c.images)
	if err != nil {
		return nil, err
	}
	p := &Pushed{To: o.To}
	images, err := c.selected(o, p)
	if err != nil {
		return nil, err
	}
	r, err := transfer.New(o.Registry).Push(ctx, images, c.source(), transfer.PushOptions{Task: "push", Conflict: conflict})
	if err != nil {
		return nil, err
	}
	p.Blobs, p.Bytes = r.Blobs, r.Bytes
	for _, out := range r.Outcomes[len(p.Images):] {
		if out.Skipped {
			p.Referrers--
		}
	}
	for n, out := range r.Outcomes[:len(p.Images)] {
		p.Images[n].There = out.Existed
		for _, d := range out.NotInRegistry {
			p.Images[n].Lacking = append(p.Images[n].Lacking, oci.PlatformName(d))
		}
	}
	if release == nil {
		return p, nil
	}
	if err := release.finish(ctx, o.Registry); err != nil {
		return nil, err
	}
	p.Release = &release.Renamed
	return p, nil
}

// conflict is the error for a tag that names another digest in the registry.
func conflict(i transfer.Image, have v1.Hash) error {
	return fmt.Errorf("pushing %s: %s is %s in the registry already, and %s here: push under another prefix, or delete that tag if nobody uses it",
		i.Name, i.Ref, have, i.Tree.Desc.Digest)
}

// collisions reports images that would get one name in the registry and are not the same.
func collisions(images []Image, to string) error {
	var errs []error
	taken := map[string]Image{}
	for _, i := range images {
		t, err := retarget(i.Name, to)
		if err != nil {
			return err
		}
		first, twice := taken[t.Name()]
		if twice && first.Digest != i.Digest {
			errs = append(errs, fmt.Errorf("%s (%s) and %s (%s) would both become %s: they cannot be in one registry below one prefix; make two bundles of them",
				first.Name, first.Digest, i.Name, i.Digest, t))
		}
		taken[t.Name()] = i
	}
	return errors.Join(errs...)
}
