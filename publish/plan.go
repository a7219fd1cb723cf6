package publish

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// options are for a release. Nobody else pushes below its tags, so a tag proves that all is
// there.
var options = transfer.PushOptions{
	Task:      "publish",
	TrustTags: true,
	Conflict: func(i transfer.Image, have v1.Hash) error {
		return fmt.Errorf("publishing %s: the tag is %s already, and this release is %s: raise version in slipway.yaml, or delete the tag if nobody has used it",
			i.Ref, have, i.Tree.Desc.Digest)
	},
}

// plan reads every manifest of l, and checks that each blob is in the store in full size.
// With byDigest, only the manifests of single platforms are to be pushed.
func plan(st *store.Store, l *lock.Lock, byDigest bool) ([]transfer.Image, error) {
	var all []transfer.Image
	for _, i := range l.Images {
		img, err := planImage(st, i)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
		}
		img.ByDigest = byDigest
		all = append(all, img)
	}
	return all, nil
}

func newImage(i lock.Image) (transfer.Image, error) {
	repo, err := name.NewRepository(i.Repository)
	if err != nil {
		return transfer.Image{}, err
	}
	if len(i.Children) == 0 {
		return transfer.Image{}, errors.New("the lock has no platform of it: build it first")
	}
	return transfer.Image{Name: i.Name, Ref: repo.Tag(i.Tag), Bases: map[v1.Hash]name.Reference{}}, nil
}

func planImage(st *store.Store, i lock.Image) (transfer.Image, error) {
	img, err := newImage(i)
	if err != nil {
		return img, err
	}
	if img.Tree, err = oci.Read(descriptor(i), st.Get, oci.Limits{}); err != nil {
		return img, err
	}
	platforms := map[v1.Hash]string{}
	remote := map[v1.Hash]bool{} // manifests whose layers may be left to the registry of the base
	for _, c := range i.Children {
		platforms[c.Digest] = c.Platform.String()
		if c.Base == nil || strings.HasPrefix(c.Base.Name, "builtin:") {
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
	return img, nil
}

// checkBlobs checks that the store has what a manifest lists, except for layers that may be
// remote.
func checkBlobs(st *store.Store, t *oci.Tree, remote bool) error {
	for _, b := range t.Blobs() {
		switch here, err := st.Check(b); {
		case err != nil:
			return err
		case !here && (!remote || b.Digest == t.Config.Digest):
			return fmt.Errorf("blob %s is not in the store %s: build again", b.Digest, st.Dir())
		}
	}
	return nil
}

// descriptor describes the document that an image's tag names.
func descriptor(i lock.Image) v1.Descriptor {
	return v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}
}
