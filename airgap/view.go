package airgap

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

const layoutFile = `{"imageLayoutVersion":"1.0.0"}`

// blobName is a blob's name in the archive, the same as in an image layout.
func blobName(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }

// views are both: manifest.json and index.json.
func (p *plan) views(l *lock.Lock) (docker, oci []byte, err error) {
	if docker, err = p.dockerView(); err != nil {
		return nil, nil, err
	}
	if oci, err = p.ociView(l); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(bounded(maxDocker, "manifest.json", docker), bounded(maxValues, "index.json", oci)); err != nil {
		return nil, nil, fmt.Errorf("bundle %s: %w: make smaller bundles", p.bundle.Name, err)
	}
	return docker, oci, nil
}

// dockerView is manifest.json. LayerSources saves RKE2 from reading each layer once more to learn
// its digest.
func (p *plan) dockerView() ([]byte, error) {
	m := tarball.Manifest{}
	for _, k := range p.picks {
		for _, n := range k.children {
			if !n.image || k.fallback.IsZero() && !platform.Same(n.platform, p.target()) {
				continue
			}
			d := tarball.Descriptor{Config: blobName(n.config.Digest), RepoTags: []string{k.name}, Layers: []string{}, LayerSources: map[v1.Hash]v1.Descriptor{}}
			for i, l := range n.layers {
				d.Layers = append(d.Layers, blobName(l.Digest))
				d.LayerSources[n.diffIDs[i]] = v1.Descriptor{MediaType: l.MediaType, Digest: l.Digest, Size: l.Size}
			}
			m = append(m, d)
			break
		}
	}
	return json.Marshal(m)
}

// ociView is index.json: the descriptors that were pinned, under their tagged names.
func (p *plan) ociView(l *lock.Lock) ([]byte, error) {
	m := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{}, Annotations: map[string]string{
		annotationFormat:  strconv.Itoa(p.format()),
		annotationName:    l.Name,
		annotationVersion: l.Version,
		annotationCreated: l.Created.UTC().Format(time.RFC3339),
		annotationEntries: strconv.Itoa(len(p.head)),
	}}
	if on := p.bundle.Platform; !on.IsZero() {
		m.Annotations[annotationPlatform] = on.String()
	}
	if l.Snapshot {
		m.Annotations[annotationSnapshot] = "true"
	}
	if p.standIn {
		m.Annotations[annotationStandIn] = "true"
	}
	if p.volume != "" {
		m.Annotations[annotationVolume] = p.volume
	}
	if p.delta != nil {
		b, err := json.Marshal(p.delta)
		if err != nil {
			return nil, err
		}
		m.Annotations[annotationDelta] = string(b)
	}
	if len(p.leftOut) > 0 {
		b, err := json.Marshal(p.leftOut)
		if err != nil {
			return nil, err
		}
		m.Annotations[annotationLeftOut] = string(b)
	}
	for _, k := range p.picks {
		d := v1.Descriptor{MediaType: k.desc.MediaType, Digest: k.desc.Digest, Size: k.desc.Size, Annotations: map[string]string{
			annotationImageName: k.name,
			annotationRefName:   k.name,
		}}
		if k.written != "" {
			d.Annotations[annotationReference] = k.written
		}
		if !k.fallback.IsZero() {
			d.Annotations[annotationFallback] = k.fallback.String()
		}
		if len(k.bare) > 0 {
			d.Annotations[annotationBare] = bareText(k.bare)
		}
		m.Manifests = append(m.Manifests, d)
	}
	for _, k := range p.picks {
		for _, a := range k.travels() {
			m.Manifests = append(m.Manifests, a.descriptor(k.name))
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", p.bundle.Name, err)
	}
	return b, nil
}

// format is the oldest that has all that the plan needs, so that an older slipway reads what it
// can.
func (p *plan) format() int {
	if slices.ContainsFunc(p.picks, func(k pick) bool { return len(k.bare) > 0 }) {
		return formatBare
	}
	return 1
}
