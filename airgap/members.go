package airgap

import (
	"encoding/json"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// member is a file of a layout or an archive: bytes, or a blob of the bundle.
type member struct {
	name string
	size int64
	data []byte
	blob v1.Hash
}

// members lists the files of an image, or of one manifest of it, in the order of the archive, and
// counts the referrers among them.
func (b *Bundle) members(i Image, only *Child, o ExtractOptions) (all []member, referrers int, err error) {
	var list []member
	seen := map[v1.Hash]bool{}
	add := func(h v1.Hash, size int64) {
		if !seen[h] {
			seen[h] = true
			list = append(list, member{blobName(h), size, nil, h})
		}
	}
	small := func(h v1.Hash) error {
		raw, err := b.Raw(h)
		add(h, int64(len(raw)))
		return err
	}
	children, about := i.Children, map[v1.Hash]bool{}
	if only != nil {
		children = []Child{*only}
	} else if err := small(i.Digest); err != nil {
		return nil, 0, err
	} else {
		about[i.Digest] = true
	}
	for _, c := range children {
		about[c.Digest] = true
		if err := errors.Join(small(c.Digest), small(c.Config)); err != nil {
			return nil, 0, err
		}
	}
	for _, c := range children {
		for _, l := range c.Layers {
			add(l.Digest, l.Size)
		}
	}
	if o.Format == FormatDocker {
		d, err := b.dockerImage(i.Name, *only)
		if err != nil {
			return nil, 0, err
		}
		manifest, err := document("manifest.json", tarball.Manifest{d})
		return append([]member{manifest}, list...), 0, err
	}
	d, err := b.descriptor(i, only)
	if err != nil {
		return nil, 0, err
	}
	entries := []v1.Descriptor{d}
	if !o.WithoutReferrers {
		beside, err := b.about(i.Name, about, add)
		if err != nil {
			return nil, 0, err
		}
		referrers, entries = len(beside), append(entries, beside...)
	}
	index, err := document("index.json", v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries})
	layout := member{"oci-layout", int64(len(layoutFile)), []byte(layoutFile), v1.Hash{}}
	return append([]member{layout, index}, list...), referrers, err
}

// document is a file of JSON.
func document(name string, v any) (member, error) {
	data, err := json.Marshal(v)
	return member{name, int64(len(data)), data, v1.Hash{}}, err
}

// about adds the blobs of what refers to the manifests of an image that are given, or to one
// another, and returns how index.json has it.
func (b *Bundle) about(image string, manifests map[v1.Hash]bool, add func(v1.Hash, int64)) ([]v1.Descriptor, error) {
	r := &reading{head: b.head, contents: b.contents, used: map[v1.Hash]bool{}}
	var all []v1.Descriptor
	for _, d := range b.head.index.Manifests {
		subject, err := v1.NewHash(d.Annotations[annotationSubject])
		if err != nil || !manifests[subject] || d.Annotations[annotationSubjects] != image {
			continue
		}
		a, err := r.attachment(d)
		if err != nil {
			return nil, fmt.Errorf("%s, which refers to it: %w", d.Digest, err)
		}
		for _, part := range append(a.head, a.layers...) {
			add(part.Digest, part.Size)
		}
		manifests[d.Digest] = true
		all = append(all, d)
	}
	return all, nil
}

// descriptor is what index.json of the layout has.
func (b *Bundle) descriptor(i Image, only *Child) (v1.Descriptor, error) {
	d := v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest}
	if only != nil && only.Digest != i.Digest {
		raw, err := b.Raw(i.Digest)
		if err != nil {
			return d, err
		}
		var m v1.IndexManifest
		if err := decode(i.Digest.String(), raw, &m); err != nil {
			return d, err
		}
		for _, c := range m.Manifests {
			if c.Digest == only.Digest {
				d = c
			}
		}
	}
	raw, err := b.Raw(d.Digest)
	d.Size = int64(len(raw))
	d.Annotations = map[string]string{annotationImageName: i.Name, annotationRefName: i.Name}
	return d, err
}

// dockerImage is what manifest.json of a docker-archive has.
func (b *Bundle) dockerImage(name string, c Child) (tarball.Descriptor, error) {
	raw, err := b.Raw(c.Config)
	if err != nil {
		return tarball.Descriptor{}, err
	}
	var config v1.ConfigFile
	if err := decode(c.Config.String(), raw, &config); err != nil {
		return tarball.Descriptor{}, err
	}
	if len(config.RootFS.DiffIDs) != len(c.Layers) {
		return tarball.Descriptor{}, fmt.Errorf("%s is no image", c.Digest)
	}
	d := tarball.Descriptor{Config: blobName(c.Config), RepoTags: []string{name}, Layers: []string{}, LayerSources: map[v1.Hash]v1.Descriptor{}}
	for n, l := range c.Layers {
		d.Layers = append(d.Layers, blobName(l.Digest))
		d.LayerSources[config.RootFS.DiffIDs[n]] = v1.Descriptor{MediaType: l.MediaType, Digest: l.Digest, Size: l.Size}
	}
	return d, nil
}
