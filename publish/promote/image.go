package promote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// image is one repository of the source with the tags and referrers to promote.
type image struct {
	name      string   // in messages
	repo      string   // registry/repository at the source
	path      string   // of repo, below Options.From
	released  []string // registry/repository that release.yaml and charts may name, the primary first
	tags      []tagged
	floating  []tagged
	manifests []v1.Hash       // by which manifests may refer to it
	listed    []oci.Referrer  // that the lock lists
	referrers []referrer      // once they were read
	source    name.Repository // repo, once it is read from a registry
	stamp     imagetag.Stamp
	chart     bool
}

// tagged is a tag and what it names.
type tagged struct {
	tag  string
	desc v1.Descriptor
	tree *oci.Tree // once it was read
}

type referrer struct {
	oci.Referrer
	tree *oci.Tree
}

// fromLock prepares the promotion of a lock's images.
func fromLock(l *lock.Lock, o Options) (*promotion, error) {
	what := l.Name + " " + l.Version
	if l.Snapshot {
		return nil, fmt.Errorf("promoting %s: it is a snapshot, which no registry has: release it with -registry", what)
	}
	o.From = cmp.Or(o.From, l.Registry)
	at, ok := l.At(o.From)
	if !ok { // a copy of the registry
		at, _ = l.At(l.Registry)
	}
	p := &promotion{
		Options: o, client: transfer.New(o.Registry), lock: at, released: at.Registry,
		remedy: "publish the release again, or name the registry that has it with -from",
	}
	everywhere := l.Published()
	for n, i := range at.Published() {
		path := strings.TrimPrefix(i.Repository, at.Registry+"/")
		img := &image{
			name: i.Name, repo: o.From + "/" + path, path: path, released: everywhere[n].Repositories(),
			listed: i.Referrers, stamp: imagetag.Stamp{Version: l.Version, Created: l.Created},
			chart: i.Kind == lock.KindChart,
		}
		if n < len(at.Images) {
			at.Images[n].Repository = img.repo
		}
		for _, t := range i.Tags {
			img.tags = append(img.tags, tagged{tag: t, desc: i.Descriptor()})
		}
		for _, t := range i.PlatformTags {
			img.tags = append(img.tags, tagged{tag: t.Tag, desc: t.Descriptor()})
		}
		var floating []string
		for _, t := range everywhere[n].FloatingTags {
			if !slices.Contains(floating, t.Tag) {
				floating = append(floating, t.Tag)
				img.floating = append(img.floating, tagged{tag: t.Tag, desc: i.Descriptor()})
			}
		}
		for _, c := range i.Children {
			img.manifests = append(img.manifests, c.Digest)
		}
		p.images = append(p.images, img)
	}
	p.read = p.readRegistry
	p.source = func(ctx context.Context) transfer.Source {
		var held []transfer.Remote
		for _, i := range p.images {
			held = append(held, i.held()...)
		}
		return p.client.FromRegistry(ctx, held)
	}
	p.material = p.registryMaterial
	return p, nil
}

// fromBundle prepares the promotion of the product's images in a bundle.
func fromBundle(b *bundle.Bundle, o Options) (*promotion, error) {
	c := b.Contents()
	what := c.Product + " " + c.Version
	switch {
	case c.Needs != nil || len(c.Groups) > 0:
		return nil, fmt.Errorf("promoting %s: the bundle has the images of group %s only: use the one of all images",
			what, strings.Join(c.Groups, " and "))
	case c.Snapshot || c.StubBases:
		return nil, fmt.Errorf("promoting %s: the bundle is of a snapshot: pack a release that was made with -registry",
			what)
	case c.Delta != nil:
		return nil, fmt.Errorf("promoting %s: the bundle is a delta: make a bundle of it with %s first",
			what, howto.Run("airgap apply"))
	case !c.Platform.IsZero():
		return nil, fmt.Errorf("promoting %s: the bundle is for %s only: use the one for all platforms",
			what, c.Platform)
	}
	p := &promotion{Options: o, client: transfer.New(o.Registry), remedy: "use the bundle of this release"}
	byRepo := map[string]*image{}
	for _, i := range c.Images {
		if i.Listed != "" {
			continue
		}
		if slices.ContainsFunc(i.Manifests, func(m bundle.Manifest) bool { return m.Presence != oci.Included }) {
			return nil, fmt.Errorf("promoting %s: the bundle does not have all platforms of %s", what, i.Name)
		}
		t, err := name.NewTag(i.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
		repo := t.Context().Name()
		p.From = cmp.Or(p.From, t.RegistryStr())
		img := byRepo[repo]
		if img == nil {
			img = &image{name: i.Name, repo: repo, released: []string{repo}, path: strings.TrimPrefix(repo,
				canonical(p.From)+"/"), stamp: imagetag.Stamp{Version: c.Version, Created: c.Created}, chart: i.Chart}
			if img.path == repo {
				return nil, fmt.Errorf("promoting %s: %s is not below %s: name its registry with -from",
					what, i.Name, p.From)
			}
			byRepo[repo] = img
			p.images = append(p.images, img)
		}
		img.add(i, t.TagStr())
	}
	if len(p.images) == 0 {
		return nil, errors.New("the bundle has no image of a product")
	}
	p.read = func(context.Context) error { return nil } // it was read when it was opened
	p.source = func(context.Context) transfer.Source { return transfer.Source{Open: b.Open} }
	p.material = func(context.Context) (evidence.Material, error) { return evidence.FromBundle("the bundle", b), nil }
	return p, nil
}

// canonical returns registry[/prefix] or registry/repository as references have it: Docker Hub
// has several names. A malformed text is returned as it is.
func canonical(s string) string {
	if !strings.Contains(s, "/") { // NewRepository adds "library" to a repository of Docker Hub alone
		if r, err := name.NewRegistry(s); err == nil {
			return r.Name()
		}
	}
	if r, err := name.NewRepository(s + "/x"); err == nil {
		return strings.TrimSuffix(r.Name(), "/x")
	}
	return s
}

// add adds a name of a bundle's image.
func (img *image) add(i bundle.Image, tag string) {
	one := tagged{tag, i.Tree.Desc, i.Tree}
	if i.Floating {
		img.floating = append(img.floating, one)
	} else {
		img.tags = append(img.tags, one)
	}
	for _, m := range i.Included() {
		if !slices.Contains(img.manifests, m.Desc.Digest) {
			img.manifests = append(img.manifests, m.Desc.Digest)
		}
	}
	for _, r := range i.Referrers {
		if !slices.ContainsFunc(img.referrers, func(have referrer) bool {
			return have.Digest == r.Digest && have.Tag == r.Tag
		}) {
			img.referrers = append(img.referrers, referrer{r.Referrer, r.Tree})
		}
	}
}
