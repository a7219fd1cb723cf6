package base

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// fetch brings the child for the platform of a base in a registry into the store, byte for byte;
// its layers only once they are read.
func (r *Resolver) fetch(ctx context.Context, b product.BaseImage, anyBuild bool) (Base, error) {
	if why := r.moved(ctx, b); why != "" {
		r.Progress.Printf("warning: %s", why)
	}
	return r.take(ctx, b, anyBuild, r.reader(ctx, b.Reference.Context()))
}

// take puts the documents of a base into the store, which it reads from a reader.
func (r *Resolver) take(ctx context.Context, b product.BaseImage, anyBuild bool, from reader) (Base, error) {
	ref := b.Reference
	h, err := v1.NewHash(ref.Identifier())
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	raw, err := from.manifests(v1.Descriptor{Digest: h})
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, network.Clean(err))
	}
	top, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	if err != nil {
		return Base{}, err
	}
	if _, err := r.Store.PutBytes(raw); err != nil { // for Local
		return Base{}, err
	}
	img, err := choose(from, top, b.Platform, anyBuild)
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	got := img.platform
	if b.Lock != nil && b.Lock.OSVersion != "" && b.Lock.OSVersion != got.OSVersion {
		return Base{}, fmt.Errorf("%s has the os.version %s, and %s has %s: run %s", ref, got.OSVersion,
			b.Lock.Pos, b.Lock.OSVersion, howto.Run("pin bases -update"))
	}
	if anyBuild {
		got = full(b.Platform)
	}
	local, err := r.begin(ctx, ref.Context(), img)
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	made, err := ofImage(local, ref.String(), img.manifest.Desc.Digest)
	made.Platform = got
	return made, err
}

// ofImage returns an image in the store as a base, with the platform of its configuration.
func ofImage(img v1.Image, name string, digest v1.Hash) (Base, error) {
	cf, err := img.ConfigFile()
	if err != nil {
		return Base{}, fmt.Errorf("reading the configuration of %s: %w", name, err)
	}
	info := &Info{Name: name, Digest: digest}
	if cf.Created.Unix() > 0 { // a reproducible image states 1970
		info.Created = cf.Created.UTC()
	}
	return Base{Image: img, Platform: platform.FromConfig(cf), Info: info}, nil
}

// moved returns a warning if the tag of a base that bases.lock.yaml pins has moved:
// a newer base has fixes. The lock decides all the same, so neither that nor a tag that cannot be
// looked at stops a release. A release that is rebuilt is on the base it was on.
func (r *Resolver) moved(ctx context.Context, b product.BaseImage) string {
	if b.Lock == nil || b.Inline || b.Tag == "" || r.Shipped != nil {
		return ""
	}
	tag := b.Reference.Context().Tag(b.Tag)
	head, err := r.Client.Head(ctx, tag)
	if err != nil {
		return fmt.Sprintf("whether %s has moved since it was locked is not known: %v", tag, network.Clean(err))
	}
	if head.Digest != b.Lock.Digest {
		return fmt.Sprintf("%s has moved to %s; this release is built on %s of %s: run %s to take the new one",
			b.Lock.Reference, head.Digest, b.Lock.Digest, b.Lock.Pos, howto.Run("pin bases -update"))
	}
	return ""
}

// Document is an index, a manifest or a configuration of a base. With these and the layers, no
// registry is needed to build on the base again.
type Document struct {
	Repository name.Repository
	File       string // the name of an image in a file, in place of Repository
	Digest     v1.Hash
	Content    []byte
}

// Documents returns the documents that decided which images the resolved bases are, sorted by
// repository and digest. Stub bases and built-in ones do not count.
func (r *Resolver) Documents() []Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Document
	for _, d := range r.documents {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Document) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Repository.Name(), b.Repository.Name()),
			cmp.Compare(a.Digest.Hex, b.Digest.Hex))
	})
	return all
}

type reader struct{ manifests, configs oci.Get }

func remoteReader(ctx context.Context, c *network.Client, repo name.Repository) reader {
	return reader{c.Manifests(ctx, repo), c.Configs(ctx, repo)}
}

func (r *Resolver) reader(ctx context.Context, repo name.Repository) reader {
	from := remoteReader(ctx, r.Client, repo)
	return reader{r.remember(repo, from.manifests), r.remember(repo, from.configs)}
}

func (r *Resolver) remember(repo name.Repository, get oci.Get) oci.Get {
	if r.Shipped != nil {
		get = r.Shipped.Else(get, func(d v1.Descriptor, err error) error {
			return fmt.Errorf("the statement does not have %s: %w", d.Digest, err)
		})
	}
	return func(d v1.Descriptor) ([]byte, error) {
		raw, err := get(d)
		if err != nil {
			return nil, err
		}
		r.remembered(Document{Repository: repo, Digest: d.Digest, Content: raw})
		return raw, nil
	}
}

func (r *Resolver) remembered(d Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.documents == nil {
		r.documents = map[string]Document{}
	}
	r.documents[cmp.Or(d.File, d.Repository.Name())+"@"+d.Digest.String()] = d
}
