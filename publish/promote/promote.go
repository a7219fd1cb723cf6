// Package promote copies a release from one registry to others, by digest: a maintainer tests a
// release in a staging registry, and promotes exactly that.
//
// [Lock] takes the images from the registry that a lock names, and [Bundle] from a bundle. Both
// first check everything that can be checked: the names, the images and their referrers at the
// source, the tags at the destinations, and the manifest with its new names. Then they send
// blobs, manifests, referrers and tags, and last move the floating tags forward. What a
// destination has is not sent again, so that a promotion that was interrupted goes on where it
// was.
//
// [ImagesYAML] writes the file by which projects ask Kubernetes' image promoter to do the
// copying.
package promote

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Options select the images to promote, and the destinations.
type Options struct {
	// From is host[/prefix], which is replaced by that of a destination. Empty is the primary
	// registry of a lock, or the host of the names of a bundle.
	From string
	// To are the destinations, host[/prefix].
	To []string
	// Renames give repositories another path below the destinations.
	Renames []Rename
	// Charts is ChartsKeep or ChartsRename; empty is rename if there are Renames, or else keep.
	Charts string
	// Floating is how floating tags move, by a rule of package imagetag.
	Floating string
	// Referrers decides which referrers may be omitted. Possible evidence of the release is always
	// copied.
	Referrers oci.ReferrerRule
	// Release is the path of a release.yaml; it may be empty. For each destination a copy with the
	// new names is written: to Out, or by default to the same directory, named after the registry.
	Release, Out string
	// Allow are findings of lint, in the copies and in the indexes of the images, that are
	// intended.
	Allow []product.Allow
	// Policy is what must be verified before anything is sent. Without keys nothing is.
	Policy evidence.Policy
	// ImagesYAML is the path of the file of Kubernetes' image promoter that [File] adds a
	// release to; it may be empty. Say reports that another process has locked its directory.
	ImagesYAML string
	Say        disk.Say

	Registry network.Options
}

// Choices for Helm charts.
const (
	ChartsKeep   = "keep"   // they keep their digests, and name the images at the source
	ChartsRename = "rename" // they get the names of the images at the destination
)

// Promoted is the result of a promotion.
type Promoted struct {
	From string `json:"from"`
	// Evidence reports the verified statement; nil without keys.
	Evidence     *evidence.Report `json:"evidence,omitempty"`
	Destinations []Destination    `json:"destinations"`
	// ImagesYAML is the file of Kubernetes' image promoter that has the release now.
	ImagesYAML string `json:"imagesYAML,omitempty"`
	// Proofs are for the text of the pull request with ImagesYAML.
	Proofs []Proof `json:"proofs,omitempty"`
}

// Destination is the result at one destination.
type Destination struct {
	To     string  `json:"to"`
	Images []Image `json:"images"`
	Charts []Chart `json:"charts,omitempty"`
	// Referrers is how many signatures and other artifacts of the images the destination has.
	Referrers int `json:"referrers"`
	// OmittedReferrers were omitted there, as Options.Referrers permits.
	OmittedReferrers []transfer.OmittedReferrer `json:"omittedReferrers,omitempty"`
	Blobs            int64                      `json:"blobs"` // how many were sent
	Bytes            int64                      `json:"bytes"` // of those
	FloatingTags     []FloatingTag              `json:"floatingTags,omitempty"`
	Release          *renaming.Release          `json:"release,omitempty"`
}

// Image is one name of an image at a destination.
type Image struct {
	Source  string  `json:"source"` // registry/repository@digest
	Target  string  `json:"target"` // registry/repository:tag
	Digest  v1.Hash `json:"digest"`
	Existed bool    `json:"existed"` // the destination had it before
}

// Chart is one name of a Helm chart at a destination.
type Chart struct {
	Image

	References int `json:"references"` // how many names in its values are new
	// Untouched are places in its templates that still refer to images by their old names.
	Untouched []string `json:"untouched,omitempty"`
}

// FloatingTag is what became of a floating tag at a destination.
type FloatingTag struct {
	Reference string  `json:"reference"`
	Digest    v1.Hash `json:"digest"`        // of the promoted image
	From      v1.Hash `json:"from,omitzero"` // what it named before
	Moved     bool    `json:"moved"`
	Reason    string  `json:"reason,omitempty"` // why it moved, or was kept
}

// Lock promotes the images and charts of a lock. Third-party images are not copied.
func Lock(ctx context.Context, l *lock.Lock, o Options) (*Promoted, error) {
	p, err := fromLock(l, o)
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// Bundle promotes the product's images and charts in a bundle.
func Bundle(ctx context.Context, b *bundle.Bundle, o Options) (*Promoted, error) {
	p, err := fromBundle(b, o)
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// promotion is one on its way.
type promotion struct {
	Options

	client   *transfer.Client
	images   []*image
	charts   []map[v1.Hash]*renaming.Chart // for each destination, by the digest at the source
	lock     *lock.Lock                    // that the images are of; nil for a bundle
	released string                        // the registry that the names of the lock have; empty for a bundle
	// read reads the images and their referrers.
	read func(context.Context) error
	// source gives their blobs, once they were read.
	source func(context.Context) transfer.Source
	// material is evidence to verify, once the images were read.
	material func(context.Context) (evidence.Material, error)
	// remedy is for messages about what the source lacks.
	remedy string
}

func (p *promotion) run(ctx context.Context) (*Promoted, error) {
	if err := errors.Join(p.checkFlags(), p.checkTargets()); err != nil {
		return nil, err
	}
	done := &Promoted{From: p.From, Destinations: make([]Destination, len(p.To))}
	for n, to := range p.To {
		done.Destinations[n].To = to
		var err error
		if done.Destinations[n].Release, err = p.rename(ctx, to); err != nil {
			return nil, err
		}
	}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	if err := p.judge(ctx); err != nil {
		return nil, err
	}
	if len(p.Policy.Keys) > 0 {
		var err error
		if done.Evidence, err = p.verify(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.renameCharts(ctx); err != nil {
		return nil, err
	}
	if err := p.copy(ctx, done); err != nil {
		return nil, err
	}
	for _, d := range done.Destinations {
		if d.Release == nil {
			continue
		}
		if err := d.Release.Write(ctx, p.Registry); err != nil {
			return nil, err
		}
	}
	return done, p.moveFloating(ctx, done)
}

// failed joins the errors of destinations, and states which of several are complete.
func (p *promotion) failed(errs []error) error {
	var complete []string
	for n, err := range errs {
		switch {
		case err == nil:
			complete = append(complete, p.To[n])
		case errors.Is(err, transfer.ErrHeld):
			errs[n] = fmt.Errorf("%s: %w", p.To[n], err)
		}
	}
	err := errors.Join(errs...)
	if err == nil || len(complete) == 0 {
		return err
	}
	return fmt.Errorf("%w\n%s: complete, but for the floating tags, which move when all destinations are: run again",
		err, join(complete))
}
