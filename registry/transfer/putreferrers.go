package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// listing describes a referrer as a list of referrers has it.
func listing(t *oci.Tree) v1.Descriptor {
	d := v1.Descriptor{
		MediaType: t.Desc.MediaType, Digest: t.Desc.Digest,
		Size: t.Desc.Size, ArtifactType: t.ArtifactType(), Annotations: t.Annotations,
	}
	if d.ArtifactType == "" && t.Config != nil {
		d.ArtifactType = string(t.Config.MediaType)
	}
	return d
}

// putReferrers puts the referrers of the images, and reads them back. Those of one document are
// put one at a time, since the client may have to keep the list of them; a referrer comes after
// its subject, and after the documents that it consists of.
func (p *push) putReferrers(ctx context.Context) error {
	var waiting []*target
	for _, i := range p.images {
		if i.Referrer && !i.done && !i.skipped && !i.ByDigest {
			waiting = append(waiting, i)
		}
	}
	all := slices.Clone(waiting)
	for len(waiting) > 0 {
		waiting = p.withoutSubject(waiting)
		later := map[v1.Hash]bool{}
		for _, i := range waiting {
			later[i.Tree.Desc.Digest] = true
		}
		bySubject := map[name.Reference][]put{}
		var rest []*target
		for _, i := range waiting {
			if waits(i, later) {
				rest = append(rest, i)
				continue
			}
			subject := i.Ref
			if i.Tree.Subject != nil {
				subject = i.repo.Digest(i.Tree.Subject.Digest.String())
			}
			bySubject[subject] = append(bySubject[subject], put{i.Tree, i.Ref, i})
		}
		if len(rest) > 0 && len(rest) == len(waiting) { // digests cannot refer to one another in a circle
			return errors.New("referrers of images refer to each other in a circle")
		}
		groups := slices.Collect(maps.Values(bySubject))
		err := Each(ctx, p.Client, groups, func(ctx context.Context, _ int, g []put) error {
			return p.putGroup(ctx, g)
		})
		if err != nil {
			return err
		}
		waiting = rest
	}
	return p.readBack(ctx, slices.DeleteFunc(all, func(i *target) bool { return i.skipped }))
}

// waits reports whether a referrer refers to, or lists, a document that is yet to be put.
func waits(i *target, later map[v1.Hash]bool) bool {
	if i.Tree.Subject != nil && later[i.Tree.Subject.Digest] {
		return true
	}
	return slices.ContainsFunc(i.Tree.Children, func(c *oci.Tree) bool { return later[c.Desc.Digest] })
}

// readBack checks that the registry lists the new referrers among those of their subject.
// Otherwise no client would find them.
func (p *push) readBack(ctx context.Context, all []*target) error {
	return p.eachSubject(ctx, all, func(ctx context.Context, subject name.Digest, referrers []*target) error {
		err := p.Settle(ctx, func() (bool, error) {
			list, err := p.listReferrers(ctx, subject)
			if err != nil {
				return true, network.Clean(err)
			}
			for _, i := range referrers {
				if !i.in(list) {
					return false, fmt.Errorf("the registry took %s and does not list it: "+
						"it cannot be found there, so nothing gets its tag; "+
						"push again, or ask who runs the registry about the referrers API", i.Tree.Desc.Digest)
				}
			}
			return true, nil
		})
		if err != nil {
			return fmt.Errorf("reading the referrers of %s: %w", subject, err)
		}
		return nil
	})
}

// checkListed marks referrers that the registry has but does not list as not done. Where a
// registry cannot list referrers, the client keeps the list, which it writes after the manifest:
// a push that is killed in between leaves a referrer that no client finds, and that is put once
// more, with the list.
func (p *push) checkListed(ctx context.Context) error {
	done := slices.DeleteFunc(slices.Clone(p.images), func(i *target) bool { return !i.Referrer || !i.done })
	return p.eachSubject(ctx, done, func(ctx context.Context, subject name.Digest, referrers []*target) error {
		list, err := p.listReferrers(ctx, subject)
		if err != nil {
			return fmt.Errorf("looking for the referrers of %s: %w", subject, network.Clean(err))
		}
		for _, i := range referrers {
			i.done = i.in(list)
		}
		return nil
	})
}

// eachSubject calls f for each document that some referrers, those without a tag, refer to.
func (p *push) eachSubject(ctx context.Context, all []*target,
	f func(context.Context, name.Digest, []*target) error,
) error {
	referrers := map[name.Digest][]*target{}
	var subjects []name.Digest
	for _, i := range all {
		if _, tagged := i.Ref.(name.Tag); tagged || i.Tree.Subject == nil {
			continue
		}
		subject := i.repo.Digest(i.Tree.Subject.Digest.String())
		if referrers[subject] == nil {
			subjects = append(subjects, subject)
		}
		referrers[subject] = append(referrers[subject], i)
	}
	return Each(ctx, p.Client, subjects, func(ctx context.Context, _ int, subject name.Digest) error {
		return f(ctx, subject, referrers[subject])
	})
}

// in reports whether a list of referrers has the document.
func (i *target) in(list []v1.Descriptor) bool {
	return slices.ContainsFunc(list, func(d v1.Descriptor) bool { return d.Digest == i.Tree.Desc.Digest })
}

// listReferrers returns what has a manifest as its subject.
func (c *Client) listReferrers(ctx context.Context, subject name.Digest) ([]v1.Descriptor, error) {
	repo := subject.Context()
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	return s.Referrers(ctx, subject)
}
