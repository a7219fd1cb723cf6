package publish

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Referrers fetches the referrers of images and charts that already exist in the primary
// registry, from an earlier run or by third parties, and lists them in the lock.
func (r *Prepared) Referrers(ctx context.Context) error {
	all := r.Lock.Published()
	there := make([]bool, len(all))
	err := transfer.Each(ctx, r.client, all, func(ctx context.Context, n int, i lock.Image) error {
		repo, err := name.NewRepository(i.Repository)
		if err != nil {
			return err
		}
		if _, err := r.client.Session(ctx, repo, repo.Scope(transport.PushScope)); err != nil {
			return fmt.Errorf("connecting to %s: %w", repo, err)
		}
		have, err := r.client.Lookup(ctx, repo.Digest(i.Digest.String()))
		there[n] = have != nil || r.parts // whose manifests are there
		return err
	})
	if err != nil {
		return err
	}
	r.asked = map[v1.Hash]bool{}
	for n, i := range all {
		r.asked[i.Digest] = there[n]
	}
	if err := fetchReferrers(ctx, r.client, r.store, all, func(i lock.Image) bool {
		return !r.asked[i.Digest]
	}); err != nil {
		return err
	}
	r.update(all)
	for n, attached := range r.attached {
		for _, m := range attached {
			if r.sends(m) {
				r.list(n, all[n], m.Referrer)
			}
		}
	}
	return nil
}

// update takes what the registries report, referrers and floating tags, from all, the published
// images of the lock.
func (r *Prepared) update(all []lock.Image) {
	for n, i := range all {
		referrers, floating := r.reported(n)
		*referrers, *floating = i.Referrers, i.FloatingTags
	}
}

// reported returns what the registries report of the n-th published image or chart.
func (r *Prepared) reported(n int) (*[]oci.Referrer, *[]lock.FloatingTag) {
	if n < len(r.Lock.Images) {
		i := &r.Lock.Images[n]
		return &i.Referrers, &i.FloatingTags
	}
	c := &r.Lock.Charts[n-len(r.Lock.Images)]
	return &c.Referrers, &c.FloatingTags
}

// Attach adds referrers of the images and charts: an element for each of [lock.Lock.Published].
// The store must have them. Push brings them to every registry before it tags anything.
// Signatures go behind those of another builder, which cosign keeps under the same tag. Every
// registry must have them, whatever product.Product.Referrers says.
func (r *Prepared) Attach(made [][]oci.Referrer) error { return r.attach(made, true) }

// attach adds referrers: of the release itself, or those that came with images of other builders.
func (r *Prepared) attach(made [][]oci.Referrer, own bool) error {
	published := r.Lock.Published()
	for len(r.attached) < len(published) { // charts may have come since
		r.attached = append(r.attached, nil)
	}
	for n, i := range published {
		for _, m := range made[n] {
			a := attachment{m, own}
			at := slices.IndexFunc(r.attached[n], func(o attachment) bool { return m.Tag != "" && o.Tag == m.Tag })
			if at < 0 {
				r.attached[n] = append(r.attached[n], a)
			} else {
				theirs, err := oci.Read(r.attached[n][at].Descriptor(), r.store.Get, oci.Limits{})
				if err != nil {
					return fmt.Errorf("publishing the referrers of %s: %w", i.Name, err)
				}
				if a.Referrer, err = r.behind(theirs, m); err != nil {
					return err
				}
				r.attached[n][at] = a
			}
			if r.sends(a) {
				r.list(n, i, a.Referrer)
			}
		}
	}
	return nil
}

// takenReferrers returns what refers to the manifests of other builders, as Attach takes it.
func takenReferrers(l *lock.Lock) [][]oci.Referrer {
	all := make([][]oci.Referrer, len(l.Published()))
	for n, i := range l.Images {
		for _, c := range i.Children {
			if c.Prebuilt == nil {
				continue
			}
			for _, r := range c.Prebuilt.Referrers {
				if !slices.Contains(all[n], r) {
					all[n] = append(all[n], r)
				}
			}
		}
	}
	return all
}

// list adds an artifact to the lock, in place of one under the same tag.
func (r *Prepared) list(n int, i lock.Image, m oci.Referrer) {
	listed, _ := r.reported(n)
	all := slices.DeleteFunc(slices.Clone(*listed), func(have oci.Referrer) bool {
		return have.Digest == m.Digest || m.Tag != "" && have.Tag == m.Tag
	})
	all = append(all, m)
	sortReferrers(i, all)
	*listed = all
}

// sortReferrers sorts the referrers of an image in the order in which a registry is asked for
// them, so that a second run, which asks, has the same lock: by document, and of each first those
// that have it as their subject, and then those with a tag. Referrers of other referrers follow.
func sortReferrers(i lock.Image, all []oci.Referrer) {
	documents := i.Documents()
	place := func(o oci.Referrer) int {
		if o.Subject == (v1.Hash{}) {
			return 0
		}
		at := slices.IndexFunc(documents, func(d v1.Descriptor) bool { return d.Digest == o.Subject })
		if at < 0 {
			return len(documents)
		}
		return at
	}
	slices.SortStableFunc(all, func(a, b oci.Referrer) int {
		p, q := place(a), place(b)
		switch {
		case p != q || p == len(documents):
			return cmp.Compare(p, q)
		case a.Tag == "" && b.Tag == "":
			return cmp.Compare(a.Digest.Hex, b.Digest.Hex)
		case a.Tag == "" || b.Tag == "":
			return cmp.Compare(a.Tag, b.Tag)
		}
		return 0 // in the order of the suffixes
	})
}

// planReferrers adds the attachments to the plan. Where a registry has a list of signatures that
// lacks ours, ours are added to it, and where that is the primary registry, to the lock.
func (r *Prepared) planReferrers(ctx context.Context) error {
	if r.attached == nil {
		return nil
	}
	type wanted struct {
		image, registry int
		attachment

		ref   name.Reference
		trees []transfer.Image
	}
	var all []*wanted
	published := r.Lock.Published()
	for n, i := range published[:min(len(published), len(r.attached))] { // charts that came since lack them
		for k, repository := range i.Repositories() {
			repo, err := name.NewRepository(repository)
			if err != nil {
				return err
			}
			for _, m := range r.attached[n] {
				w := &wanted{image: n, registry: k, attachment: m, ref: transfer.ReferrerName(repo, m.Referrer)}
				all = append(all, w)
			}
		}
	}
	err := transfer.Each(ctx, r.client, all, func(ctx context.Context, _ int, w *wanted) (err error) {
		if w.Tag != "" && r.sends(w.attachment) {
			if w.Referrer, err = r.join(ctx, w.ref, w.Referrer); err != nil {
				return err
			}
		}
		t, err := oci.Read(w.Descriptor(), r.store.Get, oci.Limits{})
		if err != nil {
			return fmt.Errorf("publishing the referrers of %s: %w", published[w.image].Name, err)
		}
		w.trees = transfer.Referrer(published[w.image].Name, w.ref, t, w.own)
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range all {
		r.planned[w.registry] = append(r.planned[w.registry], w.trees...)
		if w.registry == 0 && w.Tag != "" && r.sends(w.attachment) {
			r.list(w.image, published[w.image], w.Referrer)
		}
	}
	return nil
}

// join returns the list of signatures that a tag is to name: ours, or that of the registry with
// those of ours that it lacks behind its own.
func (r *Prepared) join(ctx context.Context, ref name.Reference, ours oci.Referrer) (oci.Referrer, error) {
	repo := ref.Context()
	if _, err := r.client.Session(ctx, repo, repo.Scope(transport.PushScope)); err != nil {
		return ours, fmt.Errorf("connecting to %s: %w", repo, err)
	}
	have, err := r.client.Lookup(ctx, ref)
	if err != nil || have == nil || have.Digest == ours.Digest {
		return ours, err
	}
	var theirs *oci.Tree
	w := &transfer.Wanted{
		Ref: repo.Digest(have.Digest.String()), Name: ref.Name(),
		Done: func(t *oci.Tree) error { theirs = t; return nil },
	}
	if err := r.client.Fetch(ctx, r.store, []*transfer.Wanted{w}); err != nil {
		return ours, err
	}
	return r.behind(theirs, ours)
}

// behind returns a list of signatures with those of theirs, and behind them those of ours that it
// lacks.
func (r *Prepared) behind(theirs *oci.Tree, ours oci.Referrer) (oci.Referrer, error) {
	own, err := oci.Read(ours.Descriptor(), r.store.Get, oci.Limits{})
	if err != nil {
		return ours, err
	}
	layers := slices.Clone(theirs.Layers)
	for _, l := range own.Layers {
		if !slices.ContainsFunc(layers, func(h v1.Descriptor) bool { return transfer.SameLayer(h, l) }) {
			layers = append(layers, l)
		}
	}
	d := theirs.Desc
	if len(layers) > len(theirs.Layers) {
		if len(theirs.Layers) == 0 {
			return ours, nil
		}
		if d, err = r.putSignatures(layers); err != nil {
			return ours, err
		}
	}
	ours.MediaType, ours.Digest, ours.Size = d.MediaType, d.Digest, d.Size
	return ours, nil
}

// putSignatures puts a list of signatures into the store.
func (r *Prepared) putSignatures(layers []v1.Descriptor) (v1.Descriptor, error) {
	raw, config, err := oci.MakeSignatures(layers)
	if err != nil {
		return v1.Descriptor{}, err
	}
	for _, b := range [][]byte{config, raw} {
		if _, err := r.store.PutBytes(b); err != nil {
			return v1.Descriptor{}, err
		}
	}
	t, err := oci.Parse(v1.Descriptor{}, raw)
	if err != nil {
		return v1.Descriptor{}, err
	}
	d := t.Desc
	d.Digest, d.Size, err = v1.SHA256(bytes.NewReader(raw))
	return d, err
}
