package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// reader reads the parts of images that slipway does not make: bases, and images of other builders.
type reader struct {
	Input

	bases  *base.Resolver
	client *network.Client
}

func (in Input) reader() *reader {
	p, client := in.Product, network.New(network.Options{Progress: in.Progress})
	return &reader{in, &base.Resolver{
		Bases: p.Bases, File: p.Path, Referenced: p.Referenced, Snapshot: p.Snapshot(), Store: in.Store,
		Client: client, Progress: in.Progress,
	}, client}
}

// looks reports whether images are judged with the layers of their bases. A release to a registry
// fetches these in any case.
func (r *reader) looks() bool {
	return !r.Product.Snapshot() && !r.bases.Offline && r.bases.Shipped == nil
}

// lookInside reports whether the files of a base can be looked at, and fetches them for that, so
// that the verdict on an image does not depend on the contents of the store.
func (r *reader) lookInside(ctx context.Context, on base.Base) (bool, error) {
	if r.looks() {
		if err := r.bases.Complete(ctx, on); err != nil {
			return false, err
		}
	}
	return on.Here(r.Store)
}

// completeBase completes the base of a Dockerfile by the full os.version, which is that of the
// base, or of the platform for scratch.
func (r *reader) completeBase(ctx context.Context, on base.Base, p platform.Platform) (base.Base, error) {
	if on.Image == nil {
		return r.bases.Resolve(ctx, "scratch", p)
	}
	got := on.Platform
	if got.OS != p.OS || got.Architecture != p.Architecture ||
		platform.Short(got.OSVersion) != platform.Short(p.OSVersion) {
		return base.Base{}, fmt.Errorf("the image is for %s and its base for %s: "+
			"take --platform out of its last FROM, or name another base", p, got)
	}
	p.OSVersion = got.OSVersion
	on.Platform = p
	return on, nil
}

// References returns the images that the product's Dockerfiles name and slipway.yaml does not
// declare as bases, once for each platform, at the first place that names them. No registry is
// asked. An error means that Dockerfiles could not be evaluated to their end, and may name more.
func (in Input) References(ctx context.Context) ([]product.BaseImage, error) {
	r := in.reader()
	r.bases.Snapshot, r.bases.Offline = true, true
	var list []product.BaseImage
	errs := []error{in.Missing}
	for _, i := range in.Product.Images {
		if _, ok := i.Content.(*product.DockerfileImage); !ok {
			continue
		}
		for _, p := range i.Platforms {
			if _, prebuilt := i.PrebuiltOn(p); prebuilt {
				continue
			}
			named, err := r.references(ctx, i, p)
			if err != nil {
				errs = append(errs, fmt.Errorf("image %s: %s: %w", i.Name, p.String(), err))
			}
			for _, ref := range named {
				found := in.Product.Referenced(ref.Reference, ref.Platform, ref.Pos)
				if !slices.ContainsFunc(list, func(o product.BaseImage) bool {
					return o.Reference.Name() == found.Reference.Name() && platform.Same(o.Platform, found.Platform)
				}) {
					list = append(list, found)
				}
			}
		}
	}
	return list, errors.Join(errs...)
}

// references returns the images that a Dockerfile names, also where it has errors.
func (r *reader) references(ctx context.Context, i product.Image, p platform.Platform,
) (all []containerfile.Reference, err error) {
	if builderOf(i, p) == "" {
		d, err := r.dockerfile(i, p, func(string) (containerfile.File, error) { return containerfile.File{}, nil })
		if err != nil {
			return nil, err
		}
		out, err := containerfile.Check(ctx, d)
		out.Close()
		return out.References, err
	}
	_, images, err := r.readDelegated(i, p)
	for _, n := range images {
		of, err := r.bases.Resolve(ctx, n.Name, n.Platform)
		if err != nil {
			return all, fmt.Errorf("%s: %w", n.Pos, err)
		}
		if of.Reference != nil {
			all = append(all, containerfile.Reference{Reference: of.Reference, Platform: n.Platform, Pos: n.Pos})
		}
	}
	return all, err
}
