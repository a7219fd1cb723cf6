package publish

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// plan is what a push may have to send.
type plan struct {
	task   string // names the progress
	images []*image
	source Source
	// deep says that a tag which stands for the right index does not prove that all below it is
	// there.
	deep bool
	// conflict is the error where a tag stands for something else.
	conflict func(i *image, have v1.Hash) error
}

// image is an Image and what the registry has of it.
type image struct {
	Image
	repo    name.Repository
	done    bool             // the registry has it all
	left    bool             // it is not pushed: its tag is left to another list of cosign's
	there   map[v1.Hash]bool // manifests that the registry has with all their blobs
	lacking []v1.Descriptor  // those of Missing that the registry does not have
}

func newPlan(st *store.Store) *plan {
	return &plan{task: "publish", source: fromStore(st), conflict: func(i *image, have v1.Hash) error {
		return fmt.Errorf("publishing %s: the tag stands for %s already, and this release is %s: raise version in slipway.yaml, or delete the tag if nobody has used it",
			i.Ref, have, i.Top.Descriptor.Digest)
	}}
}

func (p *plan) add(i Image) {
	p.images = append(p.images, &image{Image: i, repo: i.Ref.Context(), there: map[v1.Hash]bool{}})
}

// fromStore opens blobs of st, whose readers compare them with their digests.
func fromStore(st *store.Store) Source { return Source{Open: st.Open} }

// planPush reads every manifest of l and looks whether each blob is there in full. Of a partial
// lock only the children are pushed.
func planPush(st *store.Store, l *lock.Lock) (*plan, error) {
	p := newPlan(st)
	for _, i := range l.Images {
		img, err := planImage(st, i)
		if err != nil {
			return nil, fmt.Errorf("publishing %s: %w", i.Name, err)
		}
		if len(l.Partial) > 0 {
			if len(img.Children) == 0 {
				img.Children = []Manifest{img.Top}
			}
			img.Top = Manifest{}
		}
		p.add(img)
	}
	return p, nil
}

func newImage(i lock.Image) (Image, error) {
	repo, err := name.NewRepository(i.Repository)
	if err != nil {
		return Image{}, err
	}
	if len(i.Children) == 0 {
		return Image{}, errors.New("the lock has no platform of it: build it first")
	}
	return Image{Name: i.Name, Ref: repo.Tag(i.Tag)}, nil
}

func planImage(st *store.Store, i lock.Image) (Image, error) {
	img, err := newImage(i)
	if err != nil {
		return Image{}, err
	}
	for _, c := range i.Children {
		var base name.Reference
		if c.Base != nil && !strings.HasPrefix(c.Base.Name, "builtin:") {
			if base, err = name.ParseReference(c.Base.Name); err != nil {
				return Image{}, fmt.Errorf("%s: base: %w", c.Platform, err)
			}
		}
		m, err := readManifest(st, v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size}, c.Base != nil && !c.Base.StandIn && base != nil)
		if err != nil {
			return Image{}, fmt.Errorf("%s: %w", c.Platform, err)
		}
		m.Base = base
		img.Children = append(img.Children, m)
	}
	if i.MediaType.IsIndex() {
		img.Top, err = readManifest(st, descriptor(i), false)
		return img, err
	}
	img.Top, img.Children = img.Children[0], nil
	return img, nil
}

// readManifest reads the document d; the blobs of an image manifest must be in the store in their
// full size. With based, layers may be left to the registry of the image's base.
func readManifest(st *store.Store, d v1.Descriptor, based bool) (Manifest, error) {
	raw, err := st.ReadAll(d.Digest, network.MaxManifest)
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{Descriptor: d, Raw: raw}
	if !d.MediaType.IsImage() {
		return m, nil
	}
	var doc v1.Manifest
	if err := json.Unmarshal(raw, &doc); err != nil {
		return Manifest{}, fmt.Errorf("reading manifest %s: %w", d.Digest, err)
	}
	m.Blobs = append([]v1.Descriptor{doc.Config}, doc.Layers...)
	for _, b := range m.Blobs {
		switch here, err := st.Check(b); {
		case err != nil:
			return Manifest{}, err
		case !here && (!based || b.Digest == doc.Config.Digest):
			return Manifest{}, fmt.Errorf("blob %s is not in the store %s: build again", b.Digest, st.Dir())
		}
	}
	return m, nil
}

// upload is one blob and where it goes: to the first repository by sending it, to the others by
// mounting it from there.
type upload struct {
	desc  v1.Descriptor
	image string         // whose blob it is, for messages
	from  name.Reference // where the registry may have it already; nil if nowhere
	repos []name.Repository
}

// uploads lists each blob of what the registry lacks, the largest first, so that the last one to
// end is a small one.
func (p *plan) uploads() []*upload {
	byDigest := map[v1.Hash]*upload{}
	var all []*upload
	for _, i := range p.images {
		if i.left {
			continue
		}
		for _, m := range append(slices.Clone(i.Children), i.Top) {
			for _, d := range m.Blobs {
				u := byDigest[d.Digest]
				if u == nil {
					u = &upload{desc: d, image: i.Name}
					byDigest[d.Digest] = u
					all = append(all, u)
				}
				switch {
				case i.done || i.there[m.Descriptor.Digest]:
					u.from = i.repo.Digest(m.Descriptor.Digest.String())
				case !slices.Contains(u.repos, i.repo):
					u.repos = append(u.repos, i.repo)
				}
				if u.from == nil && m.Base != nil && m.Base.Context().RegistryStr() == i.repo.RegistryStr() {
					u.from = m.Base
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(u *upload) bool { return len(u.repos) == 0 })
	slices.SortStableFunc(all, func(a, b *upload) int { return cmp.Compare(b.desc.Size, a.desc.Size) })
	return all
}

// put is a manifest and the name it gets.
type put struct {
	Manifest
	ref   name.Reference
	image *image
}

// manifests lists what is put by digest, and what is put under its name once all of that is there.
func (p *plan) manifests() (children, named []put) {
	for _, i := range p.images {
		if i.done || i.left {
			continue
		}
		for _, m := range i.Children {
			if !i.there[m.Descriptor.Digest] {
				children = append(children, put{m, i.repo.Digest(m.Descriptor.Digest.String()), i})
			}
		}
		if i.Top.Raw != nil {
			named = append(named, put{i.Top, i.Ref, i})
		}
	}
	return children, named
}

// descriptor is what an image's tag stands for.
func descriptor(i lock.Image) v1.Descriptor {
	return v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}
}
