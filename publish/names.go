package publish

import (
	"bytes"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/store"
)

// Names adds to l the names under which [Prepared.Push] publishes its images.
func Names(p *product.Product, l *lock.Lock) {
	all := Registries(p)
	l.Registry, l.Copies, l.Snapshot = all[0], copies(all), p.Snapshot()
	for n := range l.Images {
		i := &l.Images[n]
		part := lock.PartImage{Name: i.Name, Kind: i.Kind, MediaType: i.MediaType, Children: i.Children}
		rename(p, &part)
		digest, size := i.Digest, i.Size
		*i = part.Named()
		i.Digest, i.Size = digest, size
	}
}

// Registries returns the registries that a release of p is for, the primary one first.
func Registries(p *product.Product) []string {
	if p.Snapshot() {
		return []string{registry.Host}
	}
	all := []string{p.Registry}
	for _, d := range p.Destinations {
		if d.Registry != p.Registry {
			all = append(all, d.Registry)
		}
	}
	return all
}

// copies returns the elements after the first; nil if there are none, as files have it.
func copies(all []string) []string {
	if len(all) == 1 {
		return nil
	}
	return all[1:]
}

// rename gives an image the names that it has in p.
func rename(p *product.Product, i *lock.PartImage) {
	n := slices.IndexFunc(p.Images, func(want product.Image) bool { return want.Name == i.Name })
	if n < 0 {
		return
	}
	want := p.Images[n]
	var all []string
	for n, host := range Registries(p) {
		all = append(all, host+"/"+want.Repositories[n])
	}
	i.Repository, i.Copies = all[0], copies(all)
	i.Tags, i.FloatingTags, i.Groups = want.Tags, want.FloatingTags, p.Airgap.Members[i.Name]
	for _, t := range want.PlatformTags {
		i.PlatformTags = append(i.PlatformTags, lock.PartTag(t))
	}
}

// Group adds to l the groups that the images of p are in, where these are known: where parts are
// merged, the parts have them.
func Group(p *product.Product, l *lock.Lock) {
	l.Groups = groups(p)
	for n := range l.Images {
		if p.Airgap.Members != nil {
			l.Images[n].Groups = p.Airgap.Members[l.Images[n].Name]
		}
	}
}

// groups are the groups of images as the lock has them.
func groups(p *product.Product) (all []lock.Group) {
	for _, g := range p.Airgap.Groups {
		all = append(all, lock.Group{Name: g.Name, AddsTo: g.AddsTo, Charts: g.Charts})
	}
	return all
}

// remember names images in the store's own index, where readers of layouts find them.
func remember(st *store.Store, images []lock.Image) error {
	for _, i := range images {
		for _, n := range i.Names() {
			if err := st.Tag(n.Reference, n.Desc); err != nil {
				return err
			}
		}
	}
	return nil
}

// bundles returns the names of the bundles of p.
func bundles(p *product.Product) (names []string) {
	for _, b := range p.Airgap.Bundles {
		names = append(names, b.Name)
	}
	return names
}

// ChartNames returns the charts of p, in its order, with the names under which [Prepared.Push]
// publishes them.
func ChartNames(p *product.Product, charts []*chart.Artifact) []lock.Chart {
	var all []lock.Chart
	for n, a := range charts {
		want := p.Charts[n]
		c := lock.Chart{
			Name: a.Name, Version: a.Version, AppVersion: a.AppVersion, Tags: want.Tags,
			MediaType: types.OCIManifestSchema1,
		}
		var repositories []string
		for k, host := range Registries(p) {
			repositories = append(repositories, host+"/"+want.Repositories[k])
		}
		for _, t := range want.FloatingTags {
			for _, r := range repositories {
				c.FloatingTags = append(c.FloatingTags, lock.FloatingTag{Tag: t, Repository: r})
			}
		}
		c.Repository, c.Copies = repositories[0], copies(repositories)
		c.File.Name = a.FileName()
		c.File.Digest, c.File.Size = sum(a.Archive)
		c.Digest, c.Size = sum(a.Manifest)
		all = append(all, c)
	}
	return all
}

func sum(b []byte) (v1.Hash, int64) {
	h, size, _ := v1.SHA256(bytes.NewReader(b)) // memory does not fail
	return h, size
}
