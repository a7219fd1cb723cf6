// Package pin keeps the digests of third-party images current, in the files that name them.
//
// A pin is a digest behind a tag: registry.k8s.io/pause:3.10.2@sha256:…. [Find] looks for
// references to third-party images in images.txt, in the templates that are in the repository of
// slipway.yaml, and below release in slipway.yaml itself; asks the registries; and returns what
// to change, and why. What the rendered manifests name besides is in third-party files, or put
// together by templates: images.lock.yaml has the digests of these. [Result.Write] then changes
// all files or none: comments, order and every other byte stay.
//
// Equal references get equal digests everywhere, since a release has one image for each. The
// product's own images are not pinned: rendering gives them their digests.
package pin

import (
	"cmp"
	"context"
	"slices"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/references"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Options select what to pin. The zero value pins references without a digest.
type Options struct {
	// Update renews the digests of tags that have moved.
	Update bool
	// Newer raises tags, with their digests.
	Newer imagetag.Level
	// Moves are repositories of which newer tags are elsewhere; nil means [Moves].
	Moves []Move
}

// Why a reference changes. A newer tag has "newer patch" or "newer minor".
const (
	NotPinned = "not pinned"
	TagMoved  = "tag moved"
	Moved     = "repository moved"
	NotNamed  = "not named" // an entry of images.lock.yaml that nothing needs
)

// Change is a new text for a reference. To is empty if it goes.
type Change struct {
	Place string `json:"place"` // file:line:column
	From  string `json:"from"`
	To    string `json:"to"`
	Why   string `json:"why"`
	// Raised is the level of a newer tag; [imagetag.None] if the tag stays.
	Raised imagetag.Level `json:"-"`

	place *place
}

// Kept is a reference that stays as it is although it has no digest, or although there is a newer
// tag.
type Kept struct {
	Place     string `json:"place"` // file:line:column
	Reference string `json:"reference"`
	Reason    string `json:"reason"`
}

// Result is what to change.
type Result struct {
	Changes []Change `json:"changes"`
	Kept    []Kept   `json:"kept"`
	// Warnings are about images that replace others.
	Warnings []string `json:"warnings"`
	// Replaced are the images that are pinned, for the rules of lint to judge.
	Replaced []Replaced `json:"-"`

	contents []disk.Content
}

// Named returns the images that the rendered manifests of a product name.
type Named func(context.Context, *product.Product) ([]references.Image, error)

// Find looks for references and asks the registries for their digests. The error has a line for
// everything that is wrong in the files, or for every image that a registry does not give.
func Find(ctx context.Context, p *product.Product, named Named, c *transfer.Client, o Options) (*Result, error) {
	s := &search{product: p}
	if err := s.all(); err != nil {
		return nil, err
	}
	found, err := named(ctx, p)
	if err != nil {
		return nil, err
	}
	s.inLock(found)
	if o.Moves == nil {
		o.Moves = Moves
	}
	images, err := group(s, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Changes: []Change{}, Kept: s.kept, Warnings: []string{}}
	if err := resolve(ctx, c, images, o); err != nil {
		return nil, err
	}
	for _, i := range images {
		r.Changes = append(r.Changes, i.changes()...)
		if i.keep != "" {
			r.Kept = append(r.Kept, Kept{i.places[0].pos.String(), i.places[0].text, i.keep})
		}
	}
	order := map[string]int{}
	for n, p := range s.places {
		order[p.pos.String()] = n
	}
	slices.SortStableFunc(r.Changes, func(a, b Change) int { return cmp.Compare(order[a.Place], order[b.Place]) })
	if err := unique(r.Changes, s.places); err != nil {
		return nil, err
	}
	if r.contents, err = edit(s.files, r.Changes); err != nil {
		return nil, err
	}
	if err := r.lock(p, images); err != nil {
		return nil, err
	}
	return r, r.replaced(ctx, c)
}

// unique returns an error for each line of images.txt that a newer tag would make equal to another
// one.
func unique(changes []Change, places []*place) error {
	after := map[*place]string{}
	for _, c := range changes {
		after[c.place] = c.To
	}
	var errs yamlfile.Errors
	first := map[string]*place{}
	for _, p := range places {
		if !p.list {
			continue
		}
		name := withoutDigest(cmp.Or(after[p], p.text))
		if same := first[name]; same != nil {
			errs.At(p.pos, "%s and %s of line %d both become %s: take one of them out", p.text, same.text,
				same.pos.Line, name)
		}
		first[name] = p
	}
	return errs.Err()
}
