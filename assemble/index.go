package assemble

import (
	"errors"
	"fmt"
	"maps"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// index builds an image with one child per platform, which compose makes, and the index over
// them.
func (m *maker) index(i product.Image, compose func(platform.Platform) (child, error)) (built.Image, error) {
	children := make([]child, len(i.Platforms))
	failures := inParallel(i.Platforms, func(n int, p platform.Platform) (err error) {
		children[n], err = compose(p)
		return err
	})
	first := output.Once() // an error in a Dockerfile is the same on every platform
	var errs []error
	for n, err := range failures {
		if first(err) {
			errs = append(errs, fmt.Errorf("%s: %w", i.Platforms[n], err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return built.Image{}, err
	}
	out := built.Image{Name: i.Name, Kind: i.Kind, MediaType: types.OCIImageIndex}
	var notes [][]string
	var descriptors []v1.Descriptor
	for _, c := range children {
		notes, descriptors = append(notes, c.notes), append(descriptors, c.descriptor)
		out.Children = append(out.Children, c.lock)
	}
	warn(m.warnings, i, notes)
	raw, err := oci.MakeIndex(descriptors, m.annotations(i))
	if err != nil {
		return built.Image{}, err
	}
	out.Digest, err = m.Store.PutBytes(raw)
	out.Size = int64(len(raw))
	return out, err
}

// child is a manifest in the store.
type child struct {
	descriptor v1.Descriptor
	lock       lock.Child
	notes      []string
}

// write labels content and writes its configuration and manifest.
func (m *maker) write(i product.Image, c content) (child, error) {
	labels := maps.Clone(c.config.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, m.labels(i))
	for _, f := range c.from {
		if _, labeled := labels[base.StubLabel]; f.Stub && !labeled {
			labels[base.StubLabel] = f.Name
		}
	}
	c.config.Labels = labels
	d, written, err := manifest.Write(m.Store, manifest.Image{
		Platform: c.base.Platform, Base: c.base.Image, Config: c.config, Created: m.createdAt(i),
		Layers: c.layers, History: c.history, Annotations: m.annotations(i),
	})
	if err != nil {
		return child{}, err
	}
	out := lock.Child{
		Platform: c.base.Platform, OSVersion: c.base.Platform.OSVersion,
		MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Config: written.Config.Digest,
		Base: lockBase(c.base.Info), CopiedFrom: lockBases(c.from),
	}
	for _, l := range written.Layers {
		out.LayerBytes += l.Size
	}
	return child{d, out, c.notes}, m.note(i, d.Digest, c)
}

// annotations are the labels and annotations that the OCI image specification defines
// (https://github.com/opencontainers/image-spec/blob/main/annotations.md), as far as the product
// states them.
func (in Input) annotations(i product.Image) map[string]string {
	s := in.Trees[i.Source].Source
	m := map[string]string{}
	for k, v := range map[string]string{
		"title":       i.Name,
		"description": i.Description,
		"version":     i.Version,
		"created":     in.createdAt(i).Format(time.RFC3339),
		"source":      s.URL,
		"revision":    s.Revision,
		"licenses":    s.Licenses,
	} {
		if v != "" {
			m["org.opencontainers.image."+k] = v
		}
	}
	return m
}

// labels are those that slipway gives an image.
func (in Input) labels(i product.Image) map[string]string {
	labels := in.annotations(i)
	maps.Copy(labels, i.Labels)
	return labels
}

func lockBases(list []base.Info) (all []lock.Base) {
	for _, i := range list {
		all = append(all, *lockBase(&i))
	}
	return all
}

// lockBase is a base as the lock has it.
func lockBase(i *base.Info) *lock.Base {
	if i == nil {
		return nil
	}
	return &lock.Base{Name: i.Name, Digest: i.Digest, Created: i.Created, Stub: i.Stub}
}
