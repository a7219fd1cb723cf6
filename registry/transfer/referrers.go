package transfer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/store"
)

// suffixes are those of the tags under which cosign keeps artifacts of an image: sha256-HEX.sig
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md#discovery).
var suffixes = []string{".sig", ".att", ".sbom"}

// maxChain is how long a chain of referrers of referrers may be.
const maxChain = 4

// Subject is an image, and its referrers.
type Subject struct {
	Repo    name.Repository
	Name    string    // as the user wrote it, for messages
	Digests []v1.Hash // the image, and the children of its index
	// FewTags means that the repository is the product's own and has few tags: one request then
	// replaces three for each digest.
	FewTags bool
	// Referrers are those that were found, and Trees the same documents in the same order.
	Referrers []oci.Referrer
	Trees     []*oci.Tree

	tags []string // all tags of the repository, if they are known; else nil
}

// reference is a manifest that refers to one digest of a subject.
type reference struct {
	*Subject
	to   v1.Hash
	desc v1.Descriptor
	tag  string
}

// FetchReferrers brings into st the referrers of images and of the children of their indexes, and
// the referrers of those, and fills in the subjects' referrers. Referrers are found by the
// referrers API, or by the tag that replaces it where a registry lacks the API, and by cosign's
// tags.
func (c *Client) FetchReferrers(ctx context.Context, st *store.Store, subjects []*Subject) error {
	return c.walkReferrers(ctx, subjects, func(ctx context.Context, list []*Wanted) error {
		return c.Fetch(ctx, st, list)
	})
}

// ReadReferrers finds what [Client.FetchReferrers] finds, and reads only its documents.
func (c *Client) ReadReferrers(ctx context.Context, subjects []*Subject) error {
	return c.walkReferrers(ctx, subjects, func(ctx context.Context, list []*Wanted) error {
		return Each(ctx, c, list, func(ctx context.Context, _ int, w *Wanted) error {
			if err := w.read(ctx, c, nil); err != nil {
				return fmt.Errorf("reading the referrers of %s: %w", w.Name, network.Clean(err))
			}
			return w.Done(w.tree)
		})
	})
}

// walkReferrers follows referrers from the subjects. read reads one round of them, and calls Done
// of each.
func (c *Client) walkReferrers(ctx context.Context, subjects []*Subject,
	read func(context.Context, []*Wanted) error,
) error {
	if err := Each(ctx, c, subjects, c.listTags); err != nil {
		return err
	}
	var round []reference
	for _, s := range subjects {
		for _, h := range s.Digests {
			round = append(round, reference{Subject: s, to: h})
		}
	}
	for depth := 0; len(round) > 0 && depth < maxChain; depth++ {
		found, err := c.findReferrers(ctx, round, depth == 0)
		if err != nil {
			return err
		}
		round = nil
		var list []*Wanted
		for _, r := range found {
			if slices.ContainsFunc(r.Referrers, func(have oci.Referrer) bool {
				return have.Digest == r.desc.Digest && have.Tag == r.tag
			}) {
				continue
			}
			r.Referrers = append(r.Referrers, oci.Referrer{Digest: r.desc.Digest, Tag: r.tag})
			r.Trees = append(r.Trees, nil)
			at := len(r.Referrers) - 1
			list = append(list,
				&Wanted{Ref: r.Repo.Digest(r.desc.Digest.String()), Name: r.Name, Done: func(t *oci.Tree) error {
					r.Referrers[at], r.Trees[at] = r.describe(t), t
					return nil
				}})
			round = append(round, reference{Subject: r.Subject, to: r.desc.Digest})
		}
		if len(list) == 0 {
			return nil
		}
		if err := read(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// listTags lists the tags of a repository that has few.
func (c *Client) listTags(ctx context.Context, _ int, s *Subject) error {
	if !s.FewTags {
		return nil
	}
	session, err := c.Session(ctx, s.Repo, s.Repo.Scope(transport.PullScope))
	if err != nil {
		return err
	}
	s.tags, _ = session.Tags(ctx) // a registry that does not list tags is asked for each
	return nil
}

// findReferrers returns the referrers of the subjects of a round, in their order.
func (c *Client) findReferrers(ctx context.Context, round []reference, tags bool) ([]reference, error) {
	found := make([][]reference, len(round))
	err := Each(ctx, c, round, func(ctx context.Context, n int, r reference) (err error) {
		if found[n], err = c.byAPI(ctx, r); err == nil && tags {
			var more []reference
			more, err = c.byTags(ctx, r)
			found[n] = append(found[n], more...)
		}
		if err != nil {
			return fmt.Errorf("looking for the referrers of %s: %w", r.Name, network.Clean(err))
		}
		return nil
	})
	return slices.Concat(found...), err
}

// byAPI asks the registry what has the manifest r.to as its subject.
func (c *Client) byAPI(ctx context.Context, r reference) ([]reference, error) {
	list, err := c.listReferrers(ctx, r.Repo.Digest(r.to.String()))
	if err != nil {
		return nil, err
	}
	var all []reference
	for _, d := range list {
		if !d.MediaType.IsImage() && !d.MediaType.IsIndex() {
			c.o.Progress.Printf("leaving out %s, which refers to %s: OCI has withdrawn its type %s",
				d.Digest, r.Name, d.MediaType)
			continue
		}
		all = append(all, reference{Subject: r.Subject, to: r.to, desc: d})
	}
	slices.SortFunc(all, func(a, b reference) int { return cmp.Compare(a.desc.Digest.Hex, b.desc.Digest.Hex) })
	return all, nil
}

// byTags asks for cosign's tags of the manifest r.to.
func (c *Client) byTags(ctx context.Context, r reference) ([]reference, error) {
	var all []reference
	for _, suffix := range suffixes {
		tag := r.to.Algorithm + "-" + r.to.Hex + suffix
		if r.tags != nil && !slices.Contains(r.tags, tag) {
			continue
		}
		d, err := c.Head(ctx, r.Repo.Tag(tag))
		if err != nil && !absent(err) {
			return nil, err
		}
		if err == nil {
			all = append(all, reference{Subject: r.Subject, to: r.to, desc: *d, tag: tag})
		}
	}
	return all, nil
}

// describe returns the referrer as a lock has it.
func (r reference) describe(t *oci.Tree) oci.Referrer {
	about := oci.Referrer{
		ArtifactType: t.ArtifactType(), MediaType: t.Desc.MediaType, Digest: t.Desc.Digest,
		Size: t.Desc.Size, Tag: r.tag,
	}
	if r.to != r.Digests[0] {
		about.Subject = r.to
	}
	return about
}
