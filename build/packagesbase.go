package build

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/base"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/installed"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/apt"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// ofPackages begins the names of bases that consist of packages.
const ofPackages = base.BuiltinPrefix + "packages/"

// packagesBase makes a base that consists of packages, in the store. A snapshot gets a stub where a
// package is missing, and so does a check that asks nothing; where packages.lock.yaml does not have
// them, a release to a registry refuses that.
func (b *Builder) packagesBase(ctx context.Context, of product.Base, p platform.Platform) (base.Base, error) {
	name := ofPackages + of.Name
	if was, ok, err := b.wasStub(ctx, name, p); ok || err != nil {
		return was, err
	}
	near := (b.bases.Snapshot || b.bases.Offline) && b.pin == nil && b.bases.Shipped == nil
	m := &apt.Manager{
		Locked: b.product.LockedPackages, Packages: b.product.Packages, Pin: b.pin, Store: b.store, Client: b.client,
		Snapshot: near,
	}
	archives := tree.NewArchives(b.store, tree.Limits{})
	t := tree.New(nil)
	err := m.Base(ctx, packages.Call{
		Env:   func(string) (string, bool) { return "", false },
		Stage: of.Name, Platform: p, Tree: t, Archives: archives,
	}, *of.Packages)
	if absent := (packages.AbsentError{}); near && errors.As(err, &absent) {
		stub, failure := base.Stub(ctx, b.store, name, p)
		if len(installedInBase(b.product, of.Name, p)) == 0 {
			stub.Demand = fmt.Errorf("base %s for %s: %w", of.Name, p, err)
		}
		return stub, failure
	}
	if err != nil {
		archives.Drop() // not otherwise: another platform's base may read them
		return base.Base{}, err
	}
	list, err := t.Entries(false)
	if err == nil {
		err = t.Fill(list)
	}
	if err != nil {
		return base.Base{}, err
	}
	config := v1.Config{
		User: of.Packages.User, Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	}
	img, d, err := base.Compose(ctx, b.store, p, list.All, config, "slipway "+name)
	if err != nil {
		return base.Base{}, err
	}
	out := base.Base{Image: img, Platform: p, Info: &base.Info{Name: name, Digest: d}}
	if out.Packages, err = installed.List(t); err != nil {
		return out, err
	}
	b.origins(out.Packages, installedInBase(b.product, of.Name, p))
	owned, err := installed.Owned(t, out.Packages)
	if err != nil {
		return out, err
	}
	for _, e := range list.All {
		if !owned[e.Path] {
			e.Content = layer.Content{Digest: e.Content.Digest, Size: e.Content.Size}
			out.Others = append(out.Others, e)
		}
	}
	return out, nil
}

// wasStub returns the stub that a snapshot which is rebuilt has in place of a base of packages;
// ok is false where it has the base, or nothing is rebuilt.
func (b *Builder) wasStub(ctx context.Context, name string, p platform.Platform) (stub base.Base, ok bool, err error) {
	if !b.product.Snapshot() || b.bases.Shipped == nil {
		return stub, false, nil
	}
	if stub, err = base.Stub(ctx, b.store, name, p); err != nil {
		return stub, false, err
	}
	layers, err := stub.Image.Layers()
	if err != nil {
		return stub, false, err
	}
	for _, l := range layers {
		d, err := l.Digest()
		if err != nil {
			return stub, false, err
		}
		r, err := b.bases.Shipped(d)
		if errors.Is(err, oci.ErrAbsent) {
			return stub, false, nil
		}
		if err != nil {
			return stub, false, err
		}
		r.Close()
	}
	return stub, true, nil
}
