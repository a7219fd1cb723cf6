package bundle

import (
	"encoding/json"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// extractFile is a file of a layout or an archive: data, or a blob of the bundle.
type extractFile struct {
	name string
	size int64
	data []byte
	blob v1.Hash
}

// files lists the files of an image, or of one manifest of it, in the order of the archive, and
// counts the referrers among them.
func (b *Bundle) files(i Image, only *Manifest, o ExtractOptions) (all []extractFile, referrers int, err error) {
	var metadata, layers, entries []v1.Descriptor
	if only == nil {
		if i.Tree.Desc.MediaType.IsIndex() {
			metadata = append(metadata, i.Tree.Desc)
		}
		entries = append(entries, named(i.Tree.Desc, i.Name))
	} else {
		entries = append(entries, named(only.Desc, i.Name))
	}
	for n, m := range i.Included() {
		if only == nil || i.Included()[n].Desc.Digest == only.Desc.Digest {
			metadata = append(metadata, m.Desc, *m.Config)
			layers = append(layers, m.Layers...)
		}
	}
	list := slices.Concat(metadata, layers)
	if o.Format == FormatDocker {
		manifest, err := document("manifest.json", tarball.Manifest{only.docker(i.Name)})
		return append([]extractFile{manifest}, blobFiles(list)...), 0, err
	}
	if !o.WithoutReferrers {
		referrers = len(i.Referrers)
		for _, r := range i.Referrers {
			small, large := r.blobs()
			list = append(append(list, small...), large...)
			entries = append(entries, r.descriptor(i))
		}
	}
	index, err := document("index.json", v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries})
	layout := extractFile{name: "oci-layout", size: int64(len(layoutFile)), data: []byte(layoutFile)}
	return append([]extractFile{layout, index}, blobFiles(list)...), referrers, err
}

// named returns the descriptor of an image as index.json of a layout lists it.
func named(d v1.Descriptor, name string) v1.Descriptor {
	d.Annotations = map[string]string{annotationImageName: name, annotationRefName: name}
	return d
}

// blobFiles returns the files of blobs, each once.
func blobFiles(list []v1.Descriptor) []extractFile {
	o := ordering{seen: map[v1.Hash]bool{}}
	var all []extractFile
	for _, d := range o.once(nil, list...) {
		all = append(all, extractFile{name: blobName(d.Digest), size: d.Size, blob: d.Digest})
	}
	return all
}

// document returns a file of JSON.
func document(name string, v any) (extractFile, error) {
	data, err := json.Marshal(v)
	return extractFile{name: name, size: int64(len(data)), data: data}, err
}
