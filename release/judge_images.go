package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

// judgeImages checks the images of a release by the rules of package lint: the product's own, and
// third-party images as far as nodes of the product run them (see [lint.Bundled]). Only the store
// is read, and no registry. The error has a line for each finding of severity error; the other
// findings are returned.
func judgeImages(ctx context.Context, p *product.Product, st *store.Store, l *lock.Lock) ([]lint.Finding, error) {
	deep := audit.DeepIn(st)
	defer deep.Close() //nolint:errcheck // what stays is removed with the store's work
	o := lint.IndexOptions{Allow: lint.AllowIndexes(p.Lint.Allow), Partial: len(p.Selected) > 0}
	for n := range o.Allow { // the name in slipway.yaml is that at each destination
		if i, ok := l.Image(o.Allow[n].Image); ok {
			o.Allow[n].Image = i.Repository
		}
	}
	nodes := nodes(p, l)
	var all []lint.Index
	for _, i := range l.Images {
		t, err := documents(st, i.Descriptor())
		if err != nil {
			return nil, fmt.Errorf("checking %s: %w", i.Name, err)
		}
		if t == nil { // of a merge: the registry has the manifests, and who made them has looked
			o.Partial = true
			continue
		}
		index := lint.NewIndex(i.Tagged(), t, st.Get)
		index.Scope = lint.Own
		if err := lookInside(ctx, deep, p, st, i, &index); err != nil {
			return nil, fmt.Errorf("checking %s: %w", i.Name, err)
		}
		all = append(all, index)
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			o.Partial = true
			continue
		}
		index, err := inStore(st, t)
		if err != nil {
			return nil, fmt.Errorf("checking %s: %w", t.Reference, err)
		}
		all = append(all, bundled(index, t, nodes))
	}
	r := lint.CheckIndexes(all, o)
	return r.Others(), breaks(p, r.Broken())
}

// breaks adds the remedies to an error about images that break rules.
func breaks(p *product.Product, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("images break rules: build them anew, or use other versions, or allow "+
		"intended findings under lint.allow in %s:\n%w", p.Path, err)
}

// documents returns an image whose manifests and configurations the store has; nil if it lacks one.
// A merge puts those manifests there that platform tags name, and no configuration.
func documents(st *store.Store, d v1.Descriptor) (*oci.Tree, error) {
	t, _, err := st.Tree(d)
	if err != nil || t == nil {
		return nil, err
	}
	for m := range t.All() {
		if m.Config == nil {
			continue
		}
		if lacks, err := st.Missing(*m.Config); err != nil || len(lacks) > 0 {
			return nil, err
		}
	}
	return t, nil
}

// lookInside reads the layers of those manifests of an image that other builders made. The others
// were checked while they were built.
func lookInside(
	ctx context.Context, d *audit.Deep, p *product.Product, st *store.Store, i lock.Image, index *lint.Index,
) error {
	for _, c := range i.Children {
		n := slices.IndexFunc(index.Entries, func(e lint.Entry) bool { return e.Desc.Digest == c.Digest })
		if c.Prebuilt == nil || n < 0 {
			continue
		}
		switch _, complete, err := st.Tree(v1.Descriptor{Digest: c.Digest}); {
		case err != nil:
			return err
		case !complete: // of a merge: the machine that made the part has looked
			continue
		}
		inside, err := d.Inside(ctx, st, index.Entries[n])
		e := &index.Entries[n]
		e.Inside = inside
		for _, o := range p.Images {
			if t, ok := o.PrebuiltOn(c.Platform); ok && o.Name == i.Name {
				e.Pos = t.Pos
			}
		}
		if err != nil {
			if e.Pos.File != "" {
				err = fmt.Errorf("%s: %w", e.Pos, err)
			}
			return fmt.Errorf("%s: %w", c.Platform, err)
		}
	}
	return nil
}

// judgeDocuments checks the documents that a check has read of images by other builders.
func judgeDocuments(p *product.Product, documents []assemble.Document) ([]lint.Finding, error) {
	o := lint.IndexOptions{Allow: lint.AllowIndexes(p.Lint.Allow), Partial: true}
	byName := map[string]*lint.Index{}
	var all []*lint.Index
	for _, d := range documents {
		i := byName[d.Image]
		if i == nil {
			i = &lint.Index{Name: d.Image, Scope: lint.Own}
			byName[d.Image], all = i, append(all, i)
		}
		e := lint.Entry{Desc: v1.Descriptor{Platform: platform.FromConfig(d.Config).V1()}, Config: d.Config, Pos: d.Pos}
		if d.Manifest != nil {
			m := d.Manifest
			e.Desc.MediaType, e.Desc.Digest, e.Layers = m.Desc.MediaType, m.Desc.Digest, m.Layers
		}
		i.Entries = append(i.Entries, e)
	}
	var list []lint.Index
	for _, i := range all {
		list = append(list, *i)
	}
	r := lint.CheckIndexes(list, o)
	return r.Others(), r.Broken()
}

// judgeThirdParty checks third-party images by their documents, before they are fetched: by the
// rules of package lint, and as contents of bundles. l is the placeholder lock without them.
// Bundles are checked with the platforms of the images, unless platforms or images of the product
// were selected.
func judgeThirdParty(c checked, list []publish.Party, l *lock.Lock) (found []lint.Finding, err error) {
	p := c.product
	var broken, errs []error
	for _, t := range list {
		l.ThirdParty = append(l.ThirdParty, t.Lock)
		if t.Get == nil {
			continue
		}
		d := v1.Descriptor{MediaType: t.Lock.MediaType, Digest: t.Lock.Digest, Size: t.Lock.Size}
		tree, err := oci.Read(d, t.Get, oci.Limits{})
		if err != nil {
			return nil, fmt.Errorf("checking %s: %w", t.Reference, err)
		}
		r := lint.CheckIndexes([]lint.Index{bundled(lint.NewIndex(t.Reference, tree, t.Get), t.Lock, nodes(p, l))},
			lint.IndexOptions{Allow: lint.AllowIndexes(p.Lint.Allow), Partial: true})
		found = append(found, r.Others()...)
		if err := r.Broken(); err != nil {
			broken = append(broken, err)
		} else {
			errs = append(errs, airgap.CheckThirdParty(t.Lock, t.Get))
		}
	}
	errs = append([]error{breaks(p, errors.Join(broken...))}, errs...)
	if c.known && len(p.Selected) == 0 {
		errs = append(errs, airgap.CheckTargets(l, Targets(p.Airgap)))
	}
	return found, errors.Join(errs...)
}

// bundled returns a third-party image for the rules about nodes of the product.
func bundled(i lint.Index, t lock.ThirdParty, nodes []platform.Platform) lint.Index {
	i.Scope, i.Nodes = lint.Bundled, nodes
	// controllers pull images that manifests name outside of pods; lists, whose places have no
	// words, name images
	i.InManifest = len(t.OS) == 0 &&
		!slices.ContainsFunc(t.From, func(from string) bool { return !strings.Contains(from, " ") })
	if len(t.From) > 0 {
		i.Pos = lint.Place(t.From[0])
	}
	if len(t.OS) > 0 {
		i.NodesChecked = true
		i.Nodes = slices.DeleteFunc(slices.Clone(nodes), func(n platform.Platform) bool {
			return !slices.Contains(t.OS, n.OS)
		})
	}
	return i
}

// inStore returns a third-party image from the store. Of an image that is only in its registry,
// which a merge fetches later, only the platforms are known.
func inStore(st *store.Store, t lock.ThirdParty) (lint.Index, error) {
	tree, _, err := st.Tree(v1.Descriptor{Digest: t.Digest})
	if err != nil {
		return lint.Index{}, err
	}
	if tree != nil {
		return lint.NewIndex(t.Reference, tree, st.Get), nil
	}
	i := lint.Index{Name: t.Reference}
	for _, p := range t.Platforms {
		i.Entries = append(i.Entries, lint.Entry{Desc: v1.Descriptor{Platform: p.V1()}})
	}
	return i, nil
}

// nodes are the platforms of the nodes that a release is for: those of its images, each build once,
// and of a product without images those that it names. nil means that they are not known.
func nodes(p *product.Product, l *lock.Lock) (all []platform.Platform) {
	if len(l.Images) == 0 {
		return p.Platforms
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			same := func(o platform.Platform) bool { return platform.Same(o, c.Platform) }
			if !slices.ContainsFunc(all, same) {
				all = append(all, c.Platform)
			}
		}
	}
	platform.Sort(all)
	return all
}

// writeFindings writes findings about images for a person.
func writeFindings(w io.Writer, all []lint.Finding) error {
	if len(all) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w, "\nFINDINGS IN IMAGES"); err != nil {
		return err
	}
	return lint.WriteFindings(w, all)
}
