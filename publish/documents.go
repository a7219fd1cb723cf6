package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// Party is a third-party image, and what a release will do with it.
type Party struct {
	Reference string `json:"reference"` // as written
	Pinned    bool   `json:"pinned"`    // by digest
	// Stored reports whether the store has all of it. Otherwise it is fetched, unless Omitted is
	// set.
	Stored  bool   `json:"stored"`
	Omitted string `json:"omitted,omitempty"` // why the release goes without it

	// Lock is the image as the lock will have it, without referrers. Get returns the documents that
	// were read of it; it is nil if none was. Manifests for platforms that the product is not for
	// are absent.
	Lock lock.ThirdParty `json:"-"`
	Get  oci.Get         `json:"-"`

	host string
}

// Host returns the registry that the image is fetched from; "" if it is not.
func (t Party) Host() string {
	if t.Stored || t.Omitted != "" {
		return ""
	}
	return t.host
}

// ReadThirdParty reads the documents of the third-party images of p: with ask as [CheckAccess]
// does, and else those that st has. The error lists the images that cannot be read.
func ReadThirdParty(ctx context.Context, p *product.Product, st *store.Store, ask bool,
	o network.Options,
) ([]Party, error) {
	r := &access{Client: transfer.New(o), store: st, progress: o.Progress}
	all, queries := r.pulls(p, ask)
	return all, queryAll(ctx, r.Client, queries)
}

// pulls reads the documents of the third-party images of p. A release to a registry asks for all
// of them, since nodes pull from there what the store has; a snapshot asks for those that the
// store lacks.
func (r *access) pulls(p *product.Product, ask bool) (all []Party, queries []query) {
	needs := neededBy(p)
	all = make([]Party, len(p.Airgap.Images))
	for n, t := range p.Airgap.Images {
		host := t.Reference.Context().RegistryStr()
		_, pinned := t.Reference.(name.Digest)
		all[n] = Party{Reference: t.Text, Pinned: pinned, Omitted: t.Omitted, Lock: party(t), host: host}
		if t.Omitted != "" {
			continue
		}
		tree, stored, _ := transfer.InStore(r.store, t.Reference) // a damaged image is fetched again
		all[n].Stored = stored
		l := &reading{access: r, of: t, into: &all[n], bundles: p.Airgap.Bundles, needs: needs}
		switch {
		case stored && (p.Snapshot() || !ask):
			l.stored = tree
		case !stored && !p.FetchesFrom(host):
			all[n].Omitted, all[n].Lock.Omitted = lock.NoNetwork, lock.NoNetwork
			continue
		case !ask:
			continue
		}
		queries = append(queries, query{host: host, ask: l.run})
	}
	return all, queries
}

// reading is the reading of one image.
type reading struct {
	*access
	of      product.ThirdParty
	into    *Party
	stored  *oci.Tree // as the store has it; nil asks the registry
	bundles []product.Bundle
	needs   func(v1.Descriptor) bool
}

// run reads the documents of an image that a release needs.
func (l *reading) run(ctx context.Context) error {
	t := l.of
	if l.stored != nil {
		return l.read(ctx, l.stored.Desc, l.stored.Raw)
	}
	top, err := l.Get(ctx, t.Reference)
	switch {
	case err == nil:
		return l.read(ctx, v1.Descriptor{MediaType: top.MediaType, Digest: top.Digest, Size: top.Size}, top.Manifest)
	case outcome.Of(err) == outcome.Absent:
		return unfit{fmt.Errorf("%s: %s is not in its registry: correct the line, "+
			"or pin a version that is there", t.Pos, t.Text)}
	}
	return fmt.Errorf("%s: %s could not be asked for: %w", t.Pos, t.Text, network.Clean(err))
}

// read reads what a document lists. The store keeps what a registry gives, for the release to
// come; whether the registry has the manifests, which nodes pull from there, only the registry
// says.
func (l *reading) read(ctx context.Context, d v1.Descriptor, raw []byte) error {
	have := map[v1.Hash][]byte{d.Digest: raw}
	through := func(get oci.Get, stored bool) oci.Get {
		return func(d v1.Descriptor) ([]byte, error) {
			if raw, ok := have[d.Digest]; ok {
				return raw, nil
			}
			from := get
			if stored && l.store.Has(d.Digest) {
				from = l.store.Get
			}
			raw, err := from(d)
			if err == nil {
				have[d.Digest] = raw
				_, err = l.store.PutBytes(raw)
			}
			return raw, err
		}
	}
	repo := l.of.Reference.Context()
	manifests := through(l.Manifests(ctx, repo), l.stored != nil)
	configs := through(network.Listed(l.Configs(ctx, repo)), true)
	tree, err := oci.Read(d, func(c v1.Descriptor) ([]byte, error) {
		if c.Digest != d.Digest && !l.needs(c) {
			return nil, oci.ErrAbsent
		}
		if c.Digest != d.Digest {
			return network.Listed(manifests)(c)
		}
		return manifests(c)
	}, oci.Limits{})
	if err == nil {
		for m := range tree.All() {
			if m.Config != nil && err == nil {
				_, err = configs(*m.Config)
			}
		}
	}
	l.into.Get = func(d v1.Descriptor) ([]byte, error) {
		if raw, ok := have[d.Digest]; ok {
			return raw, nil
		}
		return nil, oci.ErrAbsent
	}
	if err == nil {
		err = describe(l.into.Get, &l.into.Lock, tree, l.bundles)
	}
	if err != nil {
		l.into.Get = nil
		err = fmt.Errorf("%s: %s: %w", l.of.Pos, l.of.Text, network.Clean(err))
		if !outcome.Failed(err) {
			return unfit{err}
		}
	}
	return err
}

// neededBy returns which manifests of third-party images decide whether p can be released: those
// for the operating systems and architectures of its images and bundles, and those without a
// platform. If it names no platform, they are all that nodes may run.
func neededBy(p *product.Product) func(v1.Descriptor) bool {
	nodes := slices.Clone(p.Platforms)
	for _, i := range p.Images {
		nodes = append(nodes, i.Platforms...)
	}
	for _, b := range p.Airgap.Bundles {
		if len(nodes) > 0 && !b.Platform.IsZero() {
			nodes = append(nodes, b.Platform)
		}
	}
	return func(d v1.Descriptor) bool {
		of := platform.From(d.Platform).Normal()
		return of.IsZero() || of.IsImage() && (len(nodes) == 0 ||
			slices.ContainsFunc(nodes, func(node platform.Platform) bool {
				return platform.Runs(node, of) || node.OS == of.OS && node.Normal().Architecture == of.Architecture
			}))
	}
}
