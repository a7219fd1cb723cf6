package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// layoutFile is the file oci-layout.
const layoutFile = `{"imageLayoutVersion":"1.0.0"}`

// revision counts changes of this code that change the bytes of a bundle, as zstd or as gzip.
const revision = 2

// Layout is the archive of a bundle: its documents, and the order of its blobs.
type Layout struct {
	Contents *Contents

	docker, index    []byte // manifest.json and index.json
	metadata, layers []v1.Descriptor
}

var errTooLarge = errors.New("make smaller bundles")

// NewLayout returns the archive of c, and completes the sums in c. Contents that are larger than
// readers accept are an error.
func NewLayout(c *Contents) (*Layout, error) {
	c.Format = Format
	c.count()
	l := &Layout{Contents: c}
	var err error
	if l.metadata, l.layers, err = c.order(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errTooLarge)
	}
	var size int64
	for _, d := range l.metadata {
		if size += d.Size; d.Size > maxBlob || size > maxHead*3/4 || len(l.metadata) > maxEntries {
			return nil, fmt.Errorf("manifests and configurations are larger than a reader accepts: %w", errTooLarge)
		}
	}
	l.docker, l.index = c.dockerManifest(), c.indexJSON(len(l.metadata))
	if err := errors.Join(oci.CheckJSON("manifest.json", l.docker, maxDocker),
		oci.CheckJSON("index.json", l.index, maxValues)); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errTooLarge)
	}
	return l, nil
}

// Size is how many bytes the blobs have.
func (l *Layout) Size() int64 {
	var n int64
	for _, d := range l.metadata {
		n += d.Size
	}
	for _, d := range l.layers {
		n += d.Size
	}
	return n
}

// Key is a text that everything follows from that decides the bytes of the file.
func (l *Layout) Key() string {
	return fmt.Sprintf("%d %d\n%s\n%s\n%s\n", revision, l.Contents.Created.Unix(), l.docker, l.index,
		marshal([]any{l.metadata, l.layers}))
}

// order returns the blobs in the order of the archive, each once. Referrers come last: no node
// needs them.
func (c *Contents) order() (metadata, layers []v1.Descriptor, err error) {
	seen, refs := once{}, 0
	for _, i := range c.Images {
		refs += len(i.Manifests)
		if i.Tree.Desc.MediaType.IsIndex() {
			metadata = seen.add(metadata, i.Tree.Desc)
		}
		for _, m := range i.Included() {
			refs += len(m.Layers)
			metadata = seen.add(metadata, m.Desc, *m.Config)
		}
		for _, m := range i.with(oci.ManifestOnly) {
			metadata = seen.add(metadata, m.Desc)
		}
	}
	for _, i := range c.Images {
		for _, r := range i.Referrers {
			small, large := r.blobs()
			refs += 1 + len(large)
			metadata = seen.add(metadata, small...)
		}
	}
	maps.Copy(seen, c.lacking())
	layers = seen.add(nil, c.AllLayers()...)
	if refs > maxRefs || len(layers) > maxCount {
		return nil, nil, errors.New("images have more layers than a reader accepts")
	}
	var size int64
	for _, l := range layers {
		if size += l.Size; size > maxLayers {
			return nil, nil, fmt.Errorf("layers have more than %d bytes", int64(maxLayers))
		}
	}
	return metadata, layers, nil
}

// once is a set of digests.
type once map[v1.Hash]bool

// add appends to list those of all that are not in the set, and adds them to it.
func (o once) add(list []v1.Descriptor, all ...v1.Descriptor) []v1.Descriptor {
	for _, d := range all {
		if !o[d.Digest] {
			o[d.Digest] = true
			list = append(list, d)
		}
	}
	return list
}

// dockerManifest returns manifest.json, which lists images for one platform: docker load fails on
// an image of another operating system and then loads none, and fails on one without its layers.
func (c *Contents) dockerManifest() []byte {
	target := cmp.Or(c.Platform, platform.Platform{OS: platform.Linux, Architecture: "amd64"}).Key()
	all, lacking := tarball.Manifest{}, c.Needs.lacking()
	absent := func(d v1.Descriptor) bool { return lacking[d.Digest] }
	for _, i := range c.Images {
		for _, m := range i.Included() {
			if m.Runnable && !slices.ContainsFunc(m.Layers, absent) &&
				(!i.Fallback.IsZero() || m.Key == target) {
				all = append(all, m.docker(i.Name))
				break
			}
		}
	}
	return marshal(all)
}

// docker returns the manifest as manifest.json lists it. LayerSources has the digests of layers,
// so that RKE2 need not read the layers to compute them.
func (m Manifest) docker(name string) tarball.Descriptor {
	d := tarball.Descriptor{
		Config: blobName(m.Config.Digest), RepoTags: []string{name}, Layers: []string{},
		LayerSources: map[v1.Hash]v1.Descriptor{},
	}
	for n, l := range m.Layers {
		d.Layers = append(d.Layers, blobName(l.Digest))
		d.LayerSources[m.DiffIDs[n]] = v1.Descriptor{MediaType: l.MediaType, Digest: l.Digest, Size: l.Size}
	}
	return d
}

// indexJSON returns index.json.
func (c *Contents) indexJSON(metadataBlobs int) []byte {
	m := v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{},
		Annotations: c.annotations(metadataBlobs),
	}
	for _, i := range c.Images {
		m.Manifests = append(m.Manifests, i.descriptor())
	}
	for _, i := range c.Images {
		for _, r := range i.Referrers {
			m.Manifests = append(m.Manifests, r.descriptor(i))
		}
	}
	return marshal(m)
}

// marshal returns the JSON of a value without anything that JSON lacks.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (c *Contents) annotations(metadataBlobs int) map[string]string {
	a := map[string]string{
		annotationFormat:   strconv.Itoa(Format),
		annotationProduct:  c.Product,
		annotationVersion:  c.Version,
		annotationCreated:  c.Created.UTC().Format(time.RFC3339),
		annotationMetadata: strconv.Itoa(metadataBlobs),
	}
	setIf(a, !c.Platform.IsZero(), annotationPlatform, c.Platform.String())
	setIf(a, c.Volume != "", annotationVolume, c.Volume)
	setIf(a, c.Snapshot, annotationSnapshot, "true")
	setIf(a, c.StubBases, annotationStubBases, "true")
	setIf(a, len(c.Groups) > 0, annotationGroups, strings.Join(c.Groups, " "))
	setIf(a, c.Needs != nil, annotationNeeds, string(marshal(c.Needs)))
	setIf(a, c.Delta != nil, annotationDelta, string(marshal(c.Delta)))
	setIf(a, len(c.Omitted) > 0, annotationOmitted, string(marshal(c.Omitted)))
	return a
}

// descriptor returns the image as index.json lists it.
func (i Image) descriptor() v1.Descriptor {
	d := i.Tree.Desc
	a := map[string]string{annotationImageName: i.Name, annotationRefName: i.Name}
	if i.Chart {
		a = map[string]string{annotationChart: i.Name}
	}
	setIf(a, i.Listed != "", annotationListed, i.Listed)
	setIf(a, i.Floating, annotationFloating, "true")
	setIf(a, !i.Fallback.IsZero(), annotationFallback, i.Fallback.String())
	var only []string
	seen := once{}
	for _, m := range i.with(oci.ManifestOnly) {
		for _, d := range seen.add(nil, m.Desc) {
			only = append(only, d.Digest.String())
		}
	}
	setIf(a, len(only) > 0, annotationManifestOnly, strings.Join(only, " "))
	return v1.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Annotations: a}
}

// descriptor returns the referrer as index.json lists it.
func (r Referrer) descriptor(i Image) v1.Descriptor {
	d := r.Descriptor()
	d.Annotations = map[string]string{
		annotationSubjectImage:  i.Name,
		annotationSubjectDigest: r.subject(i.Digest()).String(),
		annotationArtifact:      r.ArtifactType,
	}
	setIf(d.Annotations, r.Tag != "", annotationTag, r.Tag)
	return d
}

func setIf(a map[string]string, has bool, key, value string) {
	if has {
		a[key] = value
	}
}
