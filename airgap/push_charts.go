package airgap

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// PushedChart is a chart and its name in the registry.
type PushedChart struct {
	Name      string `json:"name"`      // in the bundle
	Target    string `json:"target"`    // registry/repository:tag
	Reference string `json:"reference"` // registry/repository@digest
	// Original is its digest in the bundle. In the registry it has another one, if images that it
	// names have other names there; the original is in the same repository, by its digest.
	Original   v1.Hash `json:"original"`
	References int     `json:"references"` // how many names in its values are new
	// Untouched are places in its templates that still refer to images by their old names.
	Untouched []string `json:"untouched,omitempty"`
	Existed   bool     `json:"existed"` // the registry had it before
	// File is the path of the archive, which is written next to the copy of release.yaml.
	File string `json:"file,omitempty"`
}

// chartPush is the charts of a push, with new names in their values.
type chartPush struct {
	*bundleSet

	options PushOptions
	charts  []*renaming.Chart
	of      map[v1.Hash]*renaming.Chart // by digest in the bundle
}

func newChartPush(ctx context.Context, s *bundleSet, o PushOptions) (*chartPush, error) {
	p := &chartPush{bundleSet: s, options: o, of: map[v1.Hash]*renaming.Chart{}}
	// Other images than those of the bundle keep their names.
	names := newNames(s.images, o.To, func(_, _ string) error { return nil })
	for _, i := range s.images {
		if !i.Chart || p.of[i.Digest()] != nil {
			continue
		}
		archive, err := renaming.Archive(p.source().Open, i.Tree)
		if err != nil {
			return nil, fmt.Errorf("reading chart %s: %w", i.Name, err)
		}
		c, err := names.Chart(ctx, archive, i.Tree, i.Reference(), s.stamps[i.Name].Created)
		if err != nil {
			return nil, fmt.Errorf("renaming the images of chart %s: %w", i.Name, err)
		}
		p.charts, p.of[i.Digest()] = append(p.charts, c), c
	}
	return p, nil
}

// withNames returns the source of the bundles, which also has the charts with new names.
func (p *chartPush) withNames() transfer.Source {
	source := p.source()
	source.Open = renaming.Opener(p.charts, source.Open)
	has := source.Has
	source.Has = func(h v1.Hash) bool {
		return has(h) || slices.ContainsFunc(p.charts, func(c *renaming.Chart) bool { return c.Blobs[h] != nil })
	}
	return source
}

// plan lists the charts under their tags, then their originals by digest, and the referrers of
// those.
func (p *chartPush) plan(done *Pushed) (images, referrers []transfer.Image, err error) {
	var originals []transfer.Image
	for _, i := range p.images {
		c := p.of[i.Digest()]
		if !i.Chart {
			continue
		}
		ref, err := retarget(i.Name, p.options.To)
		if err != nil {
			return nil, nil, err
		}
		if i.Floating {
			p.addFloating(done, i, ref, c.Tree)
		} else {
			images = append(images, transfer.Image{Name: i.Name, Ref: ref, Tree: c.Tree})
			done.Charts = append(done.Charts, PushedChart{
				Name: i.Name, Target: ref.Name(), Reference: ref.Context().Name() + "@" + c.Tree.Desc.Digest.String(),
				Original: i.Digest(), References: c.References, Untouched: c.Untouched,
			})
		}
		if c.Tree != i.Tree {
			originals = append(originals,
				transfer.Image{Name: i.Name, Ref: ref.Digest(i.Digest().String()), Tree: i.Tree})
		}
		referrers = append(referrers, referrersOf(i, ref)...)
	}
	return slices.Concat(images, originals), referrers, nil
}

// write writes the archives next to the copy of release.yaml.
func (p *chartPush) write(ctx context.Context, done *Pushed) error {
	if p.options.Release == "" {
		return nil
	}
	out := cmp.Or(p.options.Out, p.options.Release)
	for n := range done.Charts {
		one := &done.Charts[n]
		c := p.of[one.Original]
		one.File = renaming.DefaultOut(filepath.Join(filepath.Dir(out), c.File), p.options.To)
		if err := disk.WriteAlone(ctx, one.File, c.Archive, disk.ModeFile,
			p.options.Registry.Progress.Printf); err != nil {
			return fmt.Errorf("writing chart %s: %w", one.Name, err)
		}
	}
	return nil
}
