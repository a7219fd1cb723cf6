package promote

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// readRegistry reads the documents of the images, and their referrers, from the source.
func (p *promotion) readRegistry(ctx context.Context) error {
	var refs []name.Digest
	at := map[string]int{} // in refs
	for _, i := range p.images {
		var err error
		if i.source, err = name.NewRepository(i.repo); err != nil {
			return err
		}
		for _, t := range slices.Concat(i.tags, i.floating) {
			ref := i.source.Digest(t.desc.Digest.String())
			if _, seen := at[ref.Name()]; !seen {
				at[ref.Name()] = len(refs)
				refs = append(refs, ref)
			}
		}
	}
	held, err := p.client.Read(ctx, refs)
	switch {
	case outcome.Failed(err): // nothing is known of what the registry has
		return err
	case err != nil:
		return fmt.Errorf("%w: %s", err, p.remedy)
	}
	for _, i := range p.images {
		for _, list := range [][]tagged{i.tags, i.floating} {
			for n, t := range list {
				list[n].tree = held[at[i.source.Digest(t.desc.Digest.String()).Name()]].Tree
			}
		}
	}
	return p.readReferrers(ctx)
}

// readReferrers reads the referrers of the images. All that the lock lists must be there.
func (p *promotion) readReferrers(ctx context.Context) error {
	subjects := make([]*transfer.Subject, len(p.images))
	for n, i := range p.images {
		subjects[n] = &transfer.Subject{Repo: i.source, Name: i.repo, Digests: i.digests(), FewTags: true}
	}
	if err := p.client.ReadReferrers(ctx, subjects); err != nil {
		return err
	}
	var errs []error
	for n, i := range p.images {
		for k, r := range subjects[n].Referrers {
			i.referrers = append(i.referrers, referrer{r, subjects[n].Trees[k]})
		}
		for _, r := range i.listed {
			if !slices.ContainsFunc(i.referrers, func(have referrer) bool { // a list may have grown
				return have.Digest == r.Digest || r.Tag != "" && have.Tag == r.Tag
			}) {
				errs = append(errs, fmt.Errorf("%s@%s, which refers to %s, is not in the registry: %s",
					i.repo, r.Digest, i.name, p.remedy))
			}
		}
	}
	return errors.Join(errs...)
}

// digests returns the digests of all documents of the image, each once.
func (i *image) digests() (all []v1.Hash) {
	for _, t := range slices.Concat(i.tags, i.floating) {
		for _, h := range t.tree.Digests() {
			if !slices.Contains(all, h) {
				all = append(all, h)
			}
		}
	}
	return all
}

// held returns everything that is promoted of an image.
func (i *image) held() (all []transfer.Remote) {
	for _, t := range slices.Concat(i.tags, i.floating) {
		all = append(all, transfer.Remote{Repo: i.source, Tree: t.tree})
	}
	for _, r := range i.referrers {
		all = append(all, transfer.Remote{Repo: i.source, Tree: r.tree})
	}
	return all
}
