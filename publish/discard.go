package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
)

// Untagged is a manifest of a part that no tag of its repository leads to: its release was never
// merged, or made differently.
type Untagged struct {
	Reference string `json:"reference"`
	// Kept is the reason why it is there still; "" if it was deleted, or nobody asked for that.
	Kept string `json:"kept,omitempty"`
}

// Discard lists the manifests of a part that no tag leads to, and deletes them with remove. The
// distribution API lists no untagged manifests: only parts tell of them. It deletes no blobs;
// registries collect those that no manifest names.
func Discard(ctx context.Context, part *lock.Part, remove bool, o network.Options) ([]Untagged, error) {
	if part.Snapshot {
		return nil, nil // its registry is the store
	}
	d := &discard{client: transfer.New(o), remove: remove}
	for _, i := range part.Images {
		for _, r := range i.Named().Repositories() {
			if err := d.repository(ctx, r, i.Children); err != nil {
				return d.all, fmt.Errorf("cleaning %s: %w", r, network.Clean(err))
			}
		}
	}
	return d.all, nil
}

// maxNested is how many indexes may contain one another.
const maxNested = 4

type discard struct {
	client *transfer.Client
	remove bool
	all    []Untagged
}

func (d *discard) repository(ctx context.Context, repository string, children []lock.Child) error {
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
	tags, err := session.Tags(ctx)
	if err != nil && !network.Missing(err) {
		return err
	}
	used := map[v1.Hash]bool{}
	for _, t := range tags {
		if err := d.reach(ctx, repo.Tag(t), used, maxNested); err != nil {
			return err
		}
	}
	for _, c := range children {
		ref := repo.Digest(c.Digest.String())
		if used[c.Digest] {
			continue
		}
		switch _, err := d.client.Head(ctx, ref); {
		case network.Missing(err):
			continue
		case err != nil:
			return err
		}
		out := Untagged{Reference: ref.String()}
		if d.remove {
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

// reach adds the digests that a reference leads to.
func (d *discard) reach(ctx context.Context, ref name.Reference, used map[v1.Hash]bool, depth int) error {
	got, err := d.client.Get(ctx, ref)
	if network.Missing(err) {
		return nil // deleted meanwhile, or a sparse index
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
