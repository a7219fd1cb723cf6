package publish

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// complete makes the indexes of a part's images in the store, with the annotations that build
// gave them.
func complete(st *store.Store, part *lock.Part, r *built.Result) ([]lock.Image, error) {
	images := make([]lock.Image, len(part.Images))
	for n := range part.Images {
		i := &part.Images[n]
		made, _ := r.Image(i.Name)
		var err error
		if images[n], err = makeIndexes(st, i, made); err != nil {
			return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
		}
	}
	return images, nil
}

func makeIndexes(st *store.Store, i *lock.PartImage, made built.Image) (lock.Image, error) {
	if i.MediaType.IsIndex() {
		d := v1.Descriptor{MediaType: made.MediaType, Digest: made.Digest, Size: made.Size}
		raw, err := st.Get(d)
		if err != nil {
			return lock.Image{}, err
		}
		t, err := oci.Parse(d, raw)
		if err != nil {
			return lock.Image{}, err
		}
		i.Annotations = t.Annotations
	}
	img, indexes, err := i.Image()
	for _, raw := range indexes {
		if err == nil {
			_, err = st.PutBytes(raw)
		}
	}
	return img, err
}

// plan returns the images of each registry of l, one for every name, after reading every manifest
// and checking that each blob is in the store in full size. With byDigest, only the manifests of
// single platforms are to be pushed.
func plan(st *store.Store, l *lock.Lock, images []lock.Image, byDigest bool) ([][]transfer.Image, error) {
	all := make([][]transfer.Image, len(l.Registries()))
	for _, i := range images {
		img, err := planImage(st, i)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
		}
		img.ByDigest = byDigest
		for n, repository := range i.Repositories() {
			named, err := img.named(i, repository)
			if err != nil {
				return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
			}
			all[n] = append(all[n], named...)
		}
	}
	return all, nil
}

// planned is an image that has no reference yet, and what its platform tags name.
type planned struct {
	transfer.Image

	tagged []*oci.Tree // in the order of PlatformTags
}

// named returns the image under each of its names in a repository, but for the floating ones.
func (p planned) named(i lock.Image, repository string) ([]transfer.Image, error) {
	repo, err := name.NewRepository(repository)
	if err != nil {
		return nil, err
	}
	var all []transfer.Image
	for _, t := range i.Tags {
		img := p.Image
		img.Ref = repo.Tag(t)
		all = append(all, img)
		if p.ByDigest {
			return all, nil
		}
	}
	for n, t := range i.PlatformTags {
		img := p.Image
		img.Ref, img.Tree = repo.Tag(t.Tag), p.tagged[n]
		all = append(all, img)
	}
	return all, nil
}

func planImage(st *store.Store, i lock.Image) (planned, error) {
	img := planned{Image: transfer.Image{Name: i.Name, Bases: map[v1.Hash]name.Reference{}}}
	if len(i.Children) == 0 && i.Kind != lock.KindChart {
		return img, errNoPlatform
	}
	var err error
	if img.Tree, err = oci.Read(i.Descriptor(), st.Get, oci.Limits{}); err != nil {
		return img, err
	}
	platforms := map[v1.Hash]platform.Platform{}
	remote := map[v1.Hash]bool{} // manifests whose layers may be left to the registry of the base
	for _, c := range i.Children {
		platforms[c.Digest] = c.Platform
		if t := c.Prebuilt; t != nil && !imagename.IsFile(t.From) && t.Builder == "" {
			if img.Bases[c.Digest], err = name.ParseReference(t.From); err != nil {
				return img, fmt.Errorf("%s: %w", c.Platform, err)
			}
		}
		if c.Base == nil || c.Prebuilt != nil || // all of which is in the store
			strings.HasPrefix(c.Base.Name, "builtin:") || imagename.IsFile(c.Base.Name) {
			continue
		}
		if img.Bases[c.Digest], err = name.ParseReference(c.Base.Name); err != nil {
			return img, fmt.Errorf("%s: base: %w", c.Platform, err)
		}
		remote[c.Digest] = !c.Base.Stub
	}
	for t := range img.Tree.All() {
		if err := checkBlobs(st, t, remote[t.Desc.Digest]); err != nil {
			return img, fmt.Errorf("%s: %w", platforms[t.Desc.Digest], err)
		}
	}
	for _, t := range i.PlatformTags {
		tree, err := oci.Read(t.Descriptor(), st.Get, oci.Limits{})
		if err != nil {
			return img, err
		}
		img.tagged = append(img.tagged, tree)
	}
	return img, nil
}

var errNoPlatform = errors.New("the lock has no platform of it: build it first")

// checkBlobs checks that the store has what a manifest lists, except for layers that may be
// remote.
func checkBlobs(st *store.Store, t *oci.Tree, remote bool) error {
	lacks, err := st.Missing(t.Blobs()...)
	if err != nil {
		return err
	}
	for _, b := range lacks {
		if !remote || b.Digest == t.Config.Digest {
			return fmt.Errorf("blob %s is not in the store %s: build again", b.Digest, st.Dir())
		}
	}
	return nil
}
