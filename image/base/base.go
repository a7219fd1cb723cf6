// Package base provides base images: built-in bases, bases of registries, and in a
// snapshot stubs of those.
package base

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Base is a base image for one platform.
type Base struct {
	// Image is nil for scratch.
	Image v1.Image
	// Platform has the full os.version, all four parts, that images on the base must have.
	Platform platform.Platform
	Info     *Info // nil for scratch
	// Demand is why a release to a registry would refuse the base, where a snapshot takes it; nil
	// where it would not.
	Demand error
	// Reference is that of an image that no base of slipway.yaml is; nil for bases.
	Reference name.Reference
}

// Info identifies a base, for the lock.
type Info struct {
	Name   string // reference with digest, or builtin:NAME
	Digest v1.Hash
	// Created is when it was made, as it states, in UTC; zero if it does not.
	Created time.Time
	Stub    bool // made for a snapshot, in place of one that only a registry has
}

// Here reports whether the files of the base can be looked at without fetching anything, and are
// those of the real base.
func (b Base) Here(st *store.Store) (bool, error) {
	switch {
	case b.Image == nil:
		return true, nil
	case b.Info != nil && b.Info.Stub:
		return false, nil
	}
	layers, err := b.Image.Layers()
	if err != nil {
		return false, err
	}
	for _, l := range layers {
		if d, err := l.Digest(); err != nil || !st.Has(d) {
			return false, err
		}
	}
	return true, nil
}

// Config returns the configuration that an image takes over from the base.
func (b Base) Config() (v1.Config, error) {
	if b.Image == nil {
		return v1.Config{}, nil
	}
	cf, err := b.Image.ConfigFile()
	if err != nil {
		return v1.Config{}, err
	}
	return cf.DeepCopy().Config, nil
}

// Resolver finds bases by name and caches them, for several goroutines.
type Resolver struct {
	Bases []product.Base // those of slipway.yaml
	File  string         // path of slipway.yaml, for messages
	// Referenced returns how bases.lock.yaml pins the reference of a Dockerfile: see
	// [product.Product.Referenced]. nil means that it pins none.
	Referenced func(ref name.Reference, p platform.Platform, pos yamlfile.Pos) product.BaseImage
	Snapshot   bool // builds on stubs of what registries have
	Store      *store.Store
	Client     *network.Client // mandatory where a base is fetched from a registry
	Progress   *progress.Printer
	// Offline builds on stubs, as Snapshot does; what a release demands stays an error.
	Offline bool
	// Shipped opens what an existing release that is rebuilt has of bases: it is asked before a
	// registry is. nil asks registries only.
	Shipped oci.Open
	// ShippedFile finds there the images that the release took out of files; mandatory with
	// Shipped.
	ShippedFile ShippedFile

	found     once.Map[Base] // by name, platform and way
	mu        sync.Mutex
	documents map[string]Document // by repository and digest
}

// Resolve returns the base of a name for platform p: "scratch", a base of
// slipway.yaml, or an image reference. A reference is fetched from its registry into the store;
// in a snapshot it is replaced by a stub.
func (r *Resolver) Resolve(ctx context.Context, name string, p platform.Platform) (Base, error) {
	return r.once(ctx, name, p, "", r.pull)
}

// puller returns an image that a base or a Dockerfile names.
type puller func(ctx context.Context, i product.BaseImage, anyBuild bool) (Base, error)

// once resolves a name with a puller, which way names, and keeps the result.
func (r *Resolver) once(ctx context.Context, name string, p platform.Platform, way string,
	pull puller,
) (Base, error) {
	b, err := r.found.Do(name+" "+p.String()+" "+way, func() (Base, error) { return r.resolve(ctx, name, p, pull) })
	if err == nil {
		return b, nil
	}
	err = fmt.Errorf("base %s for %s: %w", name, p, err)
	if slices.ContainsFunc(r.Bases, func(b product.Base) bool { return b.Name == name }) {
		err = KnownError{err}
	}
	return Base{}, err
}

// KnownError is about a base that slipway.yaml has, whose name is right.
type KnownError struct{ error }

// Unwrap returns the reason.
func (e KnownError) Unwrap() error { return e.error }

func (r *Resolver) resolve(ctx context.Context, image string, p platform.Platform, pull puller) (Base, error) {
	if image == "scratch" {
		return Base{Platform: full(p)}, nil
	}
	if n := slices.IndexFunc(r.Bases, func(b product.Base) bool { return b.Name == image }); n >= 0 {
		b := r.Bases[n]
		if (b.Builtin == "static" || b.Builtin == "static-root") && p.OS != platform.Linux {
			return Base{}, fmt.Errorf("it is for Linux: name another for %s, "+
				"or take it --platform=linux/%s for its files", p.OS, p.Architecture)
		}
		switch b.Builtin {
		case "scratch":
			return Base{Platform: full(p)}, nil
		case "static", "static-root":
			return static(ctx, r.Store, b.Builtin, p)
		}
		for _, f := range b.Files {
			if platform.Same(f.Platform, p) {
				key := "file " + f.File.Text + " " + p.String()
				return r.found.Do(key, func() (Base, error) { return r.file(ctx, f.File, p) })
			}
		}
		for _, i := range b.Images {
			if platform.Same(i.Platform, p) {
				i.Platform = p
				return pull(ctx, i, b.AnyBuild)
			}
		}
		return Base{}, fmt.Errorf("%s names no image for this platform: add one under bases", r.File)
	}
	ref, err := name.ParseReference(image)
	if err != nil {
		return Base{}, fmt.Errorf("it is neither a base of %s nor an image reference: %w", r.File, err)
	}
	if err := product.OtherRelease(image, p); err != nil {
		return Base{}, err
	}
	if b, ok := r.replaced(ref); ok && (b.Builtin == "" || p.OS == platform.Linux) {
		return r.resolve(ctx, b.Name, p, pull)
	}
	if b, i, ok := r.named(ref, p); ok {
		return pull(ctx, i, b.AnyBuild)
	}
	i := r.referenced(ref, p)
	unpinned := pinned(i.Reference)
	if unpinned != nil && !r.Snapshot {
		return Base{}, unpinned
	}
	b, err := pull(ctx, i, false)
	b.Demand, b.Reference = unpinned, ref
	return b, err
}

// referenced returns the image of a reference, with its digest if bases.lock.yaml has it.
func (r *Resolver) referenced(ref name.Reference, p platform.Platform) product.BaseImage {
	i := product.BaseImage{Platform: p, Reference: ref, Inline: true}
	if r.Referenced != nil {
		i = r.Referenced(ref, p, yamlfile.Pos{})
	}
	if i.Lock != nil {
		i.Reference = ref.Context().Digest(i.Lock.Digest.String())
	}
	return i
}

// replaced returns the base that takes the place of a reference.
func (r *Resolver) replaced(ref name.Reference) (product.Base, bool) {
	n := slices.IndexFunc(r.Bases, func(b product.Base) bool {
		return slices.ContainsFunc(b.InPlaceOf, func(o name.Reference) bool { return o.Name() == ref.Name() })
	})
	if n < 0 {
		return product.Base{}, false
	}
	return r.Bases[n], true
}

// named returns the image of a base of slipway.yaml that has the reference, for platform p:
// upstream's Dockerfiles name images, which bases.lock.yaml pins as those of a base.
func (r *Resolver) named(ref name.Reference, p platform.Platform) (product.Base, product.BaseImage, bool) {
	for _, b := range r.Bases {
		for _, i := range b.Images {
			tag := i.Reference.Context().Tag(i.Tag)
			if i.Tag != "" && (tag.Name() == ref.Name() || i.Upstream == ref.Name()) && platform.Same(i.Platform, p) {
				i.Platform = p
				return b, i, true
			}
		}
	}
	return product.Base{}, product.BaseImage{}, false
}

// pinned returns an error for a reference without a digest.
func pinned(ref name.Reference) error {
	if _, ok := ref.(name.Digest); ok {
		return nil
	}
	return fmt.Errorf("%s is not pinned: run %s, which writes its digest into %s%s", ref, howto.Run("pin bases"),
		product.BasesLock, product.Since)
}

// pull returns an image of a registry, or its stub. Bases of slipway.yaml that nothing pins
// are among the product's demands already, which stop a release before anything is pulled.
func (r *Resolver) pull(ctx context.Context, i product.BaseImage, anyBuild bool) (Base, error) {
	if r.Offline || r.Snapshot {
		return Stub(ctx, r.Store, i.Reference.String(), i.Platform)
	}
	if err := pinned(i.Reference); err != nil {
		return Base{}, err
	}
	return r.fetch(ctx, i, anyBuild)
}

// full completes the version of a Windows platform that has only three parts, for images that
// have no base to take it from.
func full(p platform.Platform) platform.Platform {
	if p.OS == platform.Windows && platform.Short(p.OSVersion) == p.OSVersion {
		p.OSVersion += ".1"
	}
	return p
}
