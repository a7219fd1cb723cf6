package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Untagged is a manifest of a part that no tag of its repository leads to: its release was never
// merged, or made differently.
type Untagged struct {
	Reference string `json:"reference"`
	// Kept is the reason why it is there still; "" if it was deleted, or deletion was not asked
	// for.
	Kept string `json:"kept,omitempty"`
}

// Discard lists the manifests of a part that no tag leads to and none of the parts in keep names,
// and deletes them with remove. The distribution API lists no untagged manifests: only parts name
// them. Blobs stay; registries collect those that no manifest names.
func Discard(ctx context.Context, part *lock.Part, keep []*lock.Part, remove bool,
	o network.Options,
) ([]Untagged, error) {
	if part.Snapshot {
		return nil, nil // its registry is the store
	}
	d := &discard{client: transfer.New(o), remove: remove}
	for _, i := range part.Images {
		named := i.Named()
		for _, r := range named.Repositories() {
			if err := d.repository(ctx, r, named, namedBy(keep, r)); err != nil {
				return d.all, fmt.Errorf("cleaning %s: %w", r, network.Clean(err))
			}
		}
	}
	return d.all, nil
}

// namedBy returns the manifests that parts have in a repository.
func namedBy(parts []*lock.Part, repository string) map[v1.Hash]bool {
	all := map[v1.Hash]bool{}
	for _, p := range parts {
		for _, i := range p.Images {
			if slices.Contains(i.Named().Repositories(), repository) {
				for _, c := range i.Children {
					all[c.Digest] = true
				}
			}
		}
	}
	return all
}

// maxNested is how many indexes may contain one another.
const maxNested = 4

type discard struct {
	client *transfer.Client
	remove bool
	all    []Untagged
}

// unlisted is why manifests stay in a registry that does not report what its tags lead to.
const unlisted = "the registry does not list the tags of the repository, and one of them may lead to it"

// repository discards the manifests of an image from one of its repositories, but for those that
// are used.
func (d *discard) repository(ctx context.Context, repository string, i lock.Image, used map[v1.Hash]bool) error {
	repo, err := name.NewRepository(repository)
	if err != nil {
		return err
	}
	scopes := []string{repo.Scope(transport.PullScope)}
	if d.remove {
		scopes = []string{repo.Scope("pull,push,delete")}
	}
	session, err := d.client.Session(ctx, repo, scopes...)
	if err != nil {
		return err
	}
	tags, kept, err := d.tags(ctx, session, repo, i)
	if err != nil {
		return err
	}
	for _, t := range tags {
		if err := d.reach(ctx, repo.Tag(t), used, maxNested); err != nil {
			return err
		}
	}
	for _, c := range i.Children {
		ref := repo.Digest(c.Digest.String())
		if used[c.Digest] {
			continue
		}
		have, err := d.client.Lookup(ctx, ref)
		if err != nil {
			return err
		}
		if have == nil {
			continue
		}
		out := Untagged{Reference: ref.String(), Kept: kept}
		if d.remove && kept == "" {
			switch err := session.Delete(ctx, ref); {
			case errors.Is(err, network.ErrNoDelete):
				out.Kept = err.Error()
			case err != nil:
				return err
			}
		}
		d.all = append(d.all, out)
	}
	return nil
}

// tags returns the tags of a repository, and those that a release of the part would have, which a
// list may lack. A registry that knows the repository, but no tag of it, says NAME_UNKNOWN. If it
// lists none in another way, or has tags that it does not list, kept states why nothing is
// deleted.
func (d *discard) tags(ctx context.Context, session *network.Session, repo name.Repository,
	i lock.Image,
) (list []string, kept string, err error) {
	list, err = session.Tags(ctx)
	switch {
	case outcome.Of(err) == outcome.Absent && !network.Unknown(err):
		kept = unlisted
	case err != nil && outcome.Of(err) != outcome.Absent:
		return nil, "", err
	}
	own := slices.Clone(i.Tags)
	for _, t := range i.PlatformTags {
		own = append(own, t.Tag)
	}
	for _, t := range i.FloatingTags {
		own = append(own, t.Tag)
	}
	for _, t := range own {
		if slices.Contains(list, t) {
			continue
		}
		have, err := d.client.Lookup(ctx, repo.Tag(t))
		if err != nil {
			return nil, "", err
		}
		if have != nil {
			list, kept = append(list, t), unlisted
		}
	}
	return list, kept, nil
}

// reach adds the digests that a reference leads to.
func (d *discard) reach(ctx context.Context, ref name.Reference, used map[v1.Hash]bool, depth int) error {
	got, err := d.client.Get(ctx, ref)
	if outcome.Of(err) == outcome.Absent { // deleted meanwhile, or a sparse index
		return nil
	}
	if err != nil {
		return err
	}
	used[got.Digest] = true
	if !got.MediaType.IsIndex() {
		return nil
	}
	if depth == 0 {
		return fmt.Errorf("%s contains more than %d indexes in one another", ref, maxNested)
	}
	t, err := oci.Parse(got.Descriptor, got.Manifest)
	if err != nil {
		return err
	}
	for _, m := range t.Children {
		used[m.Desc.Digest] = true
		if m.Desc.MediaType.IsIndex() {
			if err := d.reach(ctx, ref.Context().Digest(m.Desc.Digest.String()), used, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}
