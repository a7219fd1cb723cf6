package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// suffixes are those of the tags under which cosign keeps what it says of an image: sha256-HEX.sig
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md#discovery).
var suffixes = []string{".sig", ".att", ".sbom"}

// subject is an image, and what is known to refer to it.
type subject struct {
	repo      name.Repository
	text      string    // as the user wrote it, for messages
	digests   []v1.Hash // the image, and the children of its index
	tags      []string  // all of the repository, where they are known; else nil
	referrers []oci.Referrer
}

// reference is a manifest that refers to a subject.
type reference struct {
	*subject
	about v1.Hash
	desc  v1.Descriptor
	tag   string
}

// fetchReferrers brings into st what refers to images and to the children of their indexes, and
// what refers to that: by the referrers API, or the tag that stands in for it where a registry
// has none, and by cosign's tags. It fills in the subjects' referrers.
func fetchReferrers(ctx context.Context, c *client, st *store.Store, subjects []*subject) error {
	var round []reference
	for _, s := range subjects {
		for _, h := range s.digests {
			round = append(round, reference{subject: s, about: h})
		}
	}
	for depth := 0; len(round) > 0 && depth < maxDepth; depth++ {
		found, err := c.find(ctx, round, depth == 0)
		if err != nil {
			return err
		}
		round = nil
		var list []*wanted
		for _, r := range found {
			if slices.ContainsFunc(r.referrers, func(have oci.Referrer) bool { return have.Digest == r.desc.Digest && have.Tag == r.tag }) {
				continue
			}
			r.referrers = append(r.referrers, oci.Referrer{Digest: r.desc.Digest, Tag: r.tag})
			at := len(r.referrers) - 1
			list = append(list, &wanted{ref: r.repo.Digest(r.desc.Digest.String()), text: r.text, found: func(n *node) error {
				r.referrers[at] = r.describe(n)
				return nil
			}})
			round = append(round, reference{subject: r.subject, about: r.desc.Digest})
		}
		if len(list) == 0 {
			return nil
		}
		if err := fetchAll(ctx, c, st, list); err != nil {
			return err
		}
	}
	return nil
}

// find looks for what refers to the subjects of a round, in their order.
func (c *client) find(ctx context.Context, round []reference, tags bool) ([]reference, error) {
	found := make([][]reference, len(round))
	numbers := make([]int, len(round))
	for n := range numbers {
		numbers[n] = n
	}
	err := each(ctx, c.o.Jobs, numbers, func(ctx context.Context, n int) (err error) {
		r := round[n]
		if found[n], err = c.listReferrers(ctx, r); err == nil && tags {
			var more []reference
			more, err = c.lookTags(ctx, r)
			found[n] = append(found[n], more...)
		}
		if err != nil {
			return fmt.Errorf("looking for what refers to %s: %w", r.text, network.Clean(err))
		}
		return nil
	})
	return slices.Concat(found...), err
}

// listReferrers asks the registry what has the manifest r.about as its subject.
func (c *client) listReferrers(ctx context.Context, r reference) ([]reference, error) {
	list, err := c.referrers(ctx, r.repo.Digest(r.about.String()))
	if err != nil {
		return nil, err
	}
	var all []reference
	for _, d := range list {
		if !d.MediaType.IsImage() && !d.MediaType.IsIndex() {
			c.o.Progress.Printf("leaving out %s, which refers to %s: it is of type %s, which OCI has given up", d.Digest, r.text, d.MediaType)
			continue
		}
		all = append(all, reference{subject: r.subject, about: r.about, desc: d})
	}
	slices.SortFunc(all, func(a, b reference) int { return cmp.Compare(a.desc.Digest.Hex, b.desc.Digest.Hex) })
	return all, nil
}

// lookTags asks for cosign's tags of the manifest r.about.
func (c *client) lookTags(ctx context.Context, r reference) ([]reference, error) {
	var all []reference
	for _, suffix := range suffixes {
		tag := r.about.Algorithm + "-" + r.about.Hex + suffix
		if r.tags != nil && !slices.Contains(r.tags, tag) {
			continue
		}
		switch d, err := c.Head(ctx, r.repo.Tag(tag)); {
		case network.Missing(err):
		case err != nil:
			return nil, err
		default:
			all = append(all, reference{subject: r.subject, about: r.about, desc: *d, tag: tag})
		}
	}
	return all, nil
}

// describe is what a lock says of the referrer. Its type is that of the artifact, or else that of
// what it carries.
func (r reference) describe(n *node) oci.Referrer {
	l := oci.Referrer{MediaType: n.desc.MediaType, Digest: n.desc.Digest, Size: int64(len(n.raw)), Tag: r.tag}
	if r.about != r.digests[0] {
		l.Subject = r.about
	}
	var m struct {
		ArtifactType string          `json:"artifactType"`
		Config       v1.Descriptor   `json:"config"`
		Layers       []v1.Descriptor `json:"layers"`
	}
	if json.Unmarshal(n.raw, &m) != nil { // walk has read it before
		return l
	}
	switch l.ArtifactType = m.ArtifactType; {
	case l.ArtifactType != "":
	case m.Config.MediaType != "" && !m.Config.MediaType.IsConfig():
		l.ArtifactType = string(m.Config.MediaType)
	case len(m.Layers) > 0:
		l.ArtifactType = string(m.Layers[0].MediaType)
	}
	return l
}

// digests are the image's and those of all below it, its own first: each may have referrers.
func (n *node) digests() []v1.Hash {
	all := []v1.Hash{n.desc.Digest}
	for c := range n.all {
		if !slices.Contains(all, c.desc.Digest) {
			all = append(all, c.desc.Digest)
		}
	}
	return all
}

const kindReferrers = "referrers"

func (s *subject) key() string { return s.repo.Name() + "@" + s.digests[0].String() }

// recall reports whether the store remembers the referrers of an image and has them all.
func (s *subject) recall(st *store.Store) (bool, error) {
	var all []oci.Referrer
	if ok, err := st.Recall(kindReferrers, s.key(), &all); !ok || err != nil {
		return false, err
	}
	for _, r := range all {
		if _, here, err := local(st, v1.Descriptor{MediaType: r.MediaType, Digest: r.Digest, Size: r.Size}); !here || err != nil {
			return false, err
		}
	}
	s.referrers = all
	return true, nil
}

// ownReferrers looks for what others, such as cosign, have attached to images of a lock: to those
// that were in their registry before p was pushed, or to all where p is nil.
func ownReferrers(ctx context.Context, c *client, st *store.Store, l *lock.Lock, p *plan) error {
	var list []*subject
	at := map[*subject]int{}
	for n, i := range l.Images {
		if p != nil && !slices.ContainsFunc(p.images, func(planned *image) bool { return planned.Name == i.Name && planned.done }) {
			continue // nothing refers to what did not exist
		}
		repo, err := name.NewRepository(i.Repository)
		if err != nil {
			return err
		}
		// a child of its own, where there is no index
		s := &subject{repo: repo, text: i.Tagged(), digests: []v1.Hash{i.Digest}}
		for _, child := range i.Children {
			if child.Digest != i.Digest {
				s.digests = append(s.digests, child.Digest)
			}
		}
		at[s] = n
		list = append(list, s)
	}
	// Unlike one of others, a repository of ours has few tags: one question answers three for
	// each child.
	err := each(ctx, c.o.Jobs, list, func(ctx context.Context, s *subject) error {
		session, err := c.Session(ctx, s.repo, s.repo.Scope(transport.PullScope))
		if err != nil {
			return err
		}
		s.tags, _ = session.Tags(ctx)
		return nil
	})
	if err != nil {
		return err
	}
	if err := fetchReferrers(ctx, c, st, list); err != nil {
		return err
	}
	for s, n := range at {
		l.Images[n].Referrers = s.referrers
	}
	return nil
}
