package bundle

import (
	"cmp"
	"encoding/json"
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

// dockerManifest returns manifest.json. It lists images for one platform, since docker load fails
// on an image of another operating system and then loads none, and fails on one without its layers.
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
