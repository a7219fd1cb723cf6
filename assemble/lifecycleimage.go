package assemble

import (
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/assemble/lifecycle"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// lifecycle checks the metadata of the lifecycle.
func (c *checker) lifecycle(_ context.Context, i product.Image) (f finding) {
	spec := i.Content.(*product.LifecycleImage)
	if tree, ok := c.Trees[spec.Source]; ok {
		_, err := lifecycle.ReadMetadata(tree.Dir, spec.Version)
		f.errs = output.Split(err)
	}
	return f
}

// lifecycle builds the one manifest with the lifecycle for every operating system.
func (m *maker) lifecycle(ctx context.Context, i product.Image) (built.Image, error) {
	spec := i.Content.(*product.LifecycleImage)
	of, err := lifecycle.ReadMetadata(m.Trees[spec.Source].Dir, spec.Version)
	if err != nil {
		return built.Image{}, err
	}
	c := content{base: base.Base{Platform: lifecycle.Systems[0]}}
	byOS := map[string]layer.Layer{}
	for _, p := range lifecycle.Systems {
		files := lifecycle.Files{}
		for _, prog := range lifecycle.Programs {
			out, err := m.programs.File(ctx, lifecycleProgram(i, prog.Name), p)
			if err != nil {
				return built.Image{}, err
			}
			files[prog.Name] = out.Content
		}
		entries, err := lifecycle.Entries(p.OS, files)
		if err != nil {
			return built.Image{}, err
		}
		if err := c.list(ctx, m.Store, i, p, entries); err != nil {
			return built.Image{}, err
		}
		l, err := lifecycle.Layer(ctx, m.Store, p.OS, entries)
		if err != nil {
			return built.Image{}, err
		}
		byOS[p.OS] = l
		c.layers = append(c.layers,
			manifest.Layer{Layer: l, CreatedBy: "slipway build: lifecycle " + of.Version + " for " + p.OS})
	}
	labels, err := lifecycle.Labels(of, byOS["linux"], byOS["windows"])
	if err != nil {
		return built.Image{}, err
	}
	c.config = v1.Config{Labels: labels}
	only, err := m.write(i, c)
	if err != nil {
		return built.Image{}, err
	}
	only.lock.ExtraOS = lifecycleSystems()
	d := only.descriptor
	return built.Image{
		Name: i.Name, Kind: i.Kind, MediaType: d.MediaType, Digest: d.Digest,
		Size: d.Size, Children: []lock.Child{only.lock},
	}, nil
}
