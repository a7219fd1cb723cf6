package cluster

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// made is an image or an index.
type made interface {
	remote.Taggable
	Digest() (v1.Hash, error)
}

// remade pushes another image in the place of one of the release, and has it in the lock, as if
// it had been built like that.
func remade(image string, change func(*remote.Descriptor) (made,
	error),
) func(testing.TB, *release, []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return func(t testing.TB, r *release, _ []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		n, err := namespace.New()
		if err != nil {
			return nil, err
		}
		defer n.Close()
		s, err := serve(n, r.registry)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		ref, err := name.NewDigest(r.image(t, image))
		if err != nil {
			return nil, err
		}
		o := reach(background, n)
		whole, err := remote.Get(ref, o...)
		if err != nil {
			return nil, err
		}
		other, err := change(whole)
		if err != nil {
			return nil, err
		}
		digest, err := other.Digest()
		if err != nil {
			return nil, err
		}
		r.lock.Images[slices.IndexFunc(r.lock.Images, func(i lock.Image) bool {
			return i.Name == image
		})].Digest = digest
		if err := remote.Push(ref.Context().Digest(digest.String()), other, o...); err != nil {
			return nil, err
		}
		return decode(bytes.ReplaceAll(r.manifest, []byte(ref.DigestStr()), []byte(digest.String())))
	}
}

// noWindowsLayer takes the layer for Windows and its label out of the lifecycle.
func noWindowsLayer(d *remote.Descriptor) (made, error) {
	whole, err := d.Image()
	if err != nil {
		return nil, err
	}
	config, err := whole.ConfigFile()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(config.RootFS.DiffIDs, func(id v1.Hash) bool {
		return id.String() == config.Config.Labels["windows"]
	})
	if at < 0 {
		return nil, fmt.Errorf("the lifecycle has no layer for Windows")
	}
	config = config.DeepCopy()
	delete(config.Config.Labels, "windows")
	return without(whole, config, at)
}

// noLink takes the layer with the link to the termination message out of the Linux completion.
func noLink(d *remote.Descriptor) (made, error) {
	index, err := d.ImageIndex()
	if err != nil {
		return nil, err
	}
	m, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	out := mutate.IndexMediaType(empty.Index, d.MediaType)
	changed := false
	for _, child := range m.Manifests {
		img, err := index.Image(child.Digest)
		if err != nil {
			return nil, err
		}
		if child.Platform.OS == "linux" {
			if img, err = withoutFile(img, "tmp/termination-log"); err != nil {
				return nil, err
			}
			changed = true
		}
		out = mutate.AppendManifests(out,
			mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: child.Platform}})
	}
	if !changed {
		return nil, fmt.Errorf("completion has no child for Linux")
	}
	return out, nil
}

// withoutFile is an image without the layer that has a file.
func withoutFile(img v1.Image, file string) (v1.Image, error) {
	layers, err := img.Layers()
	if err != nil {
		return nil, err
	}
	for at, l := range layers {
		list, err := entries(l)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list, file) {
			config, err := img.ConfigFile()
			if err != nil {
				return nil, err
			}
			return without(img, config.DeepCopy(), at)
		}
	}
	return nil, fmt.Errorf("no layer has %s", file)
}

// without is an image with a configuration of its own and all layers but one.
func without(img v1.Image, config *v1.ConfigFile, at int) (v1.Image, error) {
	media, err := img.MediaType()
	if err != nil {
		return nil, err
	}
	layers, err := img.Layers()
	if err != nil {
		return nil, err
	}
	config.RootFS.DiffIDs, config.History = nil, nil
	out, err := mutate.ConfigFile(mutate.MediaType(empty.Image, media), config)
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(out, slices.Delete(slices.Clone(layers), at, at+1)...)
}
