// Package manifest writes image configurations and manifests into the store.
//
// Everything written has OCI media types (https://github.com/opencontainers/image-spec): layers
// of a base keep their bytes and so their digests; where a base speaks Docker's types, its
// descriptors are renamed to the OCI types of the same content.
package manifest

import (
	"encoding/json"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Image is an image about to be written.
type Image struct {
	Platform platform.Platform // with the full os.version on Windows
	Base     v1.Image          // nil: from scratch; its layers are in the store
	Config   v1.Config         // complete, including what comes from the base
	Created  time.Time
	Layers   []Layer
	// History goes behind the base's; nil means one record per layer.
	History []v1.History
	// Annotations of the manifest.
	Annotations map[string]string
}

// Layer is a layer with its line in the image's history.
type Layer struct {
	layer.Layer
	CreatedBy string
}

// Write writes configuration and manifest, and returns the manifest with its descriptor. Equal
// images give equal bytes.
func Write(st *store.Store, i Image) (v1.Descriptor, *v1.Manifest, error) {
	cf, m, err := onBase(i.Base)
	if err != nil {
		return v1.Descriptor{}, nil, fmt.Errorf("reading base: %w", err)
	}
	created := v1.Time{Time: i.Created.UTC().Truncate(time.Second)}
	cf.OS, cf.Architecture, cf.Variant, cf.OSVersion = i.Platform.OS, i.Platform.Architecture, i.Platform.Variant,
		i.Platform.OSVersion
	cf.Created, cf.Config = created, i.Config
	inherited := len(cf.History)
	for _, l := range i.Layers {
		cf.RootFS.DiffIDs = append(cf.RootFS.DiffIDs, l.DiffID)
		if i.History == nil {
			cf.History = append(cf.History, v1.History{CreatedBy: l.CreatedBy})
		}
		m.Layers = append(m.Layers, v1.Descriptor{MediaType: l.MediaType, Digest: l.Digest, Size: l.Size})
	}
	cf.History = append(cf.History, i.History...)
	for n := inherited; n < len(cf.History); n++ {
		cf.History[n].Created = created
	}
	m.Annotations = i.Annotations
	if m.Config, err = put(st, types.OCIConfigJSON, cf); err != nil {
		return v1.Descriptor{}, nil, err
	}
	d, err := put(st, m.MediaType, m)
	d.Platform = i.Platform.V1()
	return d, m, err
}

func put(st *store.Store, t types.MediaType, document any) (v1.Descriptor, error) {
	raw, err := json.Marshal(document)
	if err != nil {
		return v1.Descriptor{}, err
	}
	h, err := st.PutBytes(raw)
	return v1.Descriptor{MediaType: t, Digest: h, Size: int64(len(raw))}, err
}

// onBase starts a configuration and a manifest with the layers and the history of base.
func onBase(base v1.Image) (*v1.ConfigFile, *v1.Manifest, error) {
	cf := &v1.ConfigFile{RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{}}}
	m := &v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Layers: []v1.Descriptor{}}
	if base == nil {
		return cf, m, nil
	}
	bm, err := base.Manifest()
	if err != nil {
		return nil, nil, err
	}
	for _, d := range bm.Layers {
		d.MediaType = toOCI(d.MediaType)
		m.Layers = append(m.Layers, d)
	}
	bc, err := base.ConfigFile()
	if err != nil {
		return nil, nil, err
	}
	cf.RootFS.DiffIDs = append(cf.RootFS.DiffIDs, bc.RootFS.DiffIDs...)
	cf.History = append(cf.History, bc.History...)
	cf.OSFeatures = bc.OSFeatures
	return cf, m, nil
}

// toOCI names the OCI type of the same bytes.
func toOCI(t types.MediaType) types.MediaType {
	switch t {
	case types.DockerLayer:
		return types.OCILayer
	case types.DockerUncompressedLayer:
		return types.OCIUncompressedLayer
	case types.DockerForeignLayer:
		return types.OCIRestrictedLayer
	}
	return t
}
