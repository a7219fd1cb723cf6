package bundle

import (
	"encoding/json"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// Image is one image of a bundle: an index with all its manifests, or a single manifest. The
// presence of each manifest says whether the bundle includes it. A Helm chart is one, too: a
// single manifest that is for no platform, whose only layer is the archive of the chart.
type Image struct {
	Name string // registry/repository:tag, by which the bundle names it
	// Listed is the reference in images.txt; empty for an image of the product.
	Listed string
	// Floating means that Name has a tag that moves from release to release, such as latest.
	Floating bool
	// Chart means that it is a Helm chart.
	Chart bool
	// Fallback is the bundle's platform, if the image lacks it and the manifest that is included
	// is for another Windows build, which nodes of that platform run.
	Fallback platform.Platform
	// Tree is the index, or the manifest of an image without index.
	Tree *oci.Tree
	// Manifests are those of the index, in its order, or the only one.
	Manifests []Manifest
	// Referrers refer to the image, to a manifest that is included, or to another referrer.
	Referrers []Referrer
	// SharedBytes is the size of those layers, each once, that another image of the bundle has.
	SharedBytes int64
}

// Manifest is a manifest of an image. Only an included one has Config, Layers and DiffIDs.
type Manifest struct {
	*oci.Tree

	// Platform is that of the index. Where the index gives none or no os.version, it is completed
	// from the configuration.
	Platform platform.Platform
	Key      platform.Key // of Platform
	// DiffIDs are the digests of the decompressed layers.
	DiffIDs []v1.Hash
	// Runnable is false for attestations and other artifacts that an index lists, and for
	// manifests that are not included.
	Runnable bool
}

// Digest is that of the index, or of the manifest of an image without index.
func (i Image) Digest() v1.Hash { return i.Tree.Desc.Digest }

// Reference returns registry/repository@digest, as release.yaml pins the image.
func (i Image) Reference() string { return repository(i.Name) + "@" + i.Digest().String() }

// Included returns the manifests that are in the bundle with their configurations and layers.
func (i Image) Included() []Manifest { return i.with(oci.Included) }

// Missing returns the platforms of the index that the bundle does not include.
func (i Image) Missing() []platform.Platform {
	var all []platform.Platform
	for _, m := range i.Manifests {
		if m.Presence != oci.Included {
			all = append(all, m.Platform)
		}
	}
	return all
}

func (i Image) with(p oci.Presence) []Manifest {
	var all []Manifest
	for _, m := range i.Manifests {
		if m.Presence == p {
			all = append(all, m)
		}
	}
	return all
}

// Select returns the image as a bundle has it that includes of each manifest what choose returns.
// Referrers of omitted manifests are omitted, too.
func (i Image) Select(choose func(n int, m Manifest) oci.Presence) Image {
	all := make([]Manifest, len(i.Manifests))
	included := []v1.Hash{}
	for n, m := range i.Manifests {
		p := choose(n, m)
		if p != oci.Included {
			all[n] = without(m.Tree, p)
			continue
		}
		all[n] = m
		included = append(included, m.Desc.Digest)
	}
	i = i.replace(all)
	i.Referrers = oci.ReferringTo(i.Referrers, func(r Referrer) oci.Referrer { return r.Referrer },
		i.Digest(), included...)
	return i
}

// replace returns the image with other manifests, in the tree as well.
func (i Image) replace(all []Manifest) Image {
	i.Manifests = all
	if i.Tree.Desc.MediaType.IsIndex() {
		t := *i.Tree
		t.Children = nil
		for _, m := range all {
			t.Children = append(t.Children, m.Tree)
		}
		i.Tree = &t
	}
	return i
}

// Union returns the image with all that it and other, the same image in another bundle, include.
func (i Image) Union(other Image) Image {
	i.Manifests, i.Referrers = slices.Clone(i.Manifests), slices.Clone(i.Referrers)
	for n := range i.Manifests {
		if i.Manifests[n].Presence != oci.Included {
			i.Manifests[n] = other.Manifests[n]
		}
	}
	i = i.replace(i.Manifests)
	for _, r := range other.Referrers {
		if !slices.ContainsFunc(i.Referrers, func(o Referrer) bool { return o.Digest == r.Digest }) {
			i.Referrers = append(i.Referrers, r)
		}
	}
	return i
}

// without returns a manifest that is not included, as far as a reader of the bundle knows it.
func without(t *oci.Tree, p oci.Presence) Manifest {
	on := platform.From(t.Desc.Platform)
	m := Manifest{Tree: &oci.Tree{Desc: t.Desc, Presence: p}, Platform: on, Key: on.Key()}
	if p == oci.ManifestOnly {
		m.Raw = t.Raw
	}
	return m
}

// layers returns the layers of all manifests, each once, with their sizes.
func (i Image) layers() map[v1.Hash]int64 {
	all := map[v1.Hash]int64{}
	for _, m := range i.Included() {
		for _, l := range m.Layers {
			all[l.Digest] = l.Size
		}
	}
	return all
}

// size is that of the layers, each once.
func (i Image) size() int64 {
	var n int64
	for _, size := range i.layers() {
		n += size
	}
	return n
}

// layerJSON is a layer in the output of commands.
type layerJSON struct {
	MediaType types.MediaType `json:"mediaType"`
	Digest    v1.Hash         `json:"digest"`
	Size      int64           `json:"size"`
}

func layersJSON(all []v1.Descriptor) []layerJSON {
	var list []layerJSON
	for _, l := range all {
		list = append(list, layerJSON{l.MediaType, l.Digest, l.Size})
	}
	return list
}

// MarshalJSON writes the contents of the bundle: the manifests that are included, and the
// platforms of those that are missing.
func (i Image) MarshalJSON() ([]byte, error) {
	type child struct {
		Platform platform.Platform `json:"platform"`
		Digest   v1.Hash           `json:"digest"`
		Config   v1.Hash           `json:"config"` // which docker calls the image ID
		Layers   []layerJSON       `json:"layers"`
	}
	type referrer struct {
		oci.Referrer
		Layers []layerJSON `json:"layers,omitempty"`
	}
	v := struct {
		Name        string              `json:"name"`
		Reference   string              `json:"reference"`
		Chart       bool                `json:"chart,omitempty"`
		MediaType   types.MediaType     `json:"mediaType"`
		Digest      v1.Hash             `json:"digest"`
		Children    []child             `json:"children"`
		SharedBytes int64               `json:"sharedBytes"`
		Missing     []platform.Platform `json:"missing,omitempty"`
		Fallback    platform.Platform   `json:"fallback,omitzero"`
		Referrers   []referrer          `json:"referrers,omitempty"`
	}{
		Name: i.Name, Reference: i.Reference(), Chart: i.Chart, MediaType: i.Tree.Desc.MediaType, Digest: i.Digest(),
		SharedBytes: i.SharedBytes, Missing: i.Missing(), Fallback: i.Fallback,
	}
	for _, m := range i.Included() {
		v.Children = append(v.Children, child{m.Platform, m.Desc.Digest, m.Config.Digest, layersJSON(m.Layers)})
	}
	for _, r := range i.Referrers {
		_, layers := r.blobs()
		v.Referrers = append(v.Referrers, referrer{r.Referrer, layersJSON(layers)})
	}
	return json.Marshal(v)
}

// repository returns a tagged name without its tag.
func repository(tagged string) string { return tagged[:strings.LastIndex(tagged, ":")] }

// manifest returns the included manifest with a digest, or nil.
func (i Image) manifest(digest string) *Manifest {
	for _, m := range i.Included() {
		if m.Runnable && m.Desc.Digest.String() == digest {
			return &m
		}
	}
	return nil
}

// isNamed reports whether ref names the image: by tag, by digest or by both.
func (i Image) isNamed(ref string) bool {
	base, digest, pinned := strings.Cut(ref, "@")
	tagged, err := imagename.Bundled(ref, i.Digest())
	if err != nil || pinned && digest != i.Digest().String() {
		return false
	}
	hasTag := strings.Contains(base[strings.LastIndex(base, "/")+1:], ":")
	return tagged == i.Name || pinned && !hasTag && repository(tagged) == repository(i.Name)
}
