package bundle

import (
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
func (b *Bundle) files(i Image, only *Manifest, o ExtractOptions) (all []extractFile, referrers int) {
	if o.Format == FormatChart {
		return blobFiles(i.Tree.Layers[:1]), 0
	}
	top := i.Tree.Desc
	if only != nil {
		top = only.Desc
	}
	var metadata, layers []v1.Descriptor
	if top.MediaType.IsIndex() {
		metadata = append(metadata, top)
	}
	entries := []v1.Descriptor{named(top, i.Name)}
	for _, m := range i.Included() {
		if only == nil || m.Desc.Digest == only.Desc.Digest {
			metadata = append(metadata, m.Desc, *m.Config)
			layers = append(layers, m.Layers...)
		}
	}
	list := slices.Concat(metadata, layers)
	if o.Format == FormatDocker {
		return append([]extractFile{document("manifest.json", marshal(tarball.Manifest{only.docker(i.Name)}))}, blobFiles(list)...), 0
	}
	if !o.WithoutReferrers {
		referrers = len(i.Referrers)
		for _, r := range i.Referrers {
			small, large := r.blobs()
			list = append(append(list, small...), large...)
			entries = append(entries, r.descriptor(i))
		}
	}
	index := document("index.json", marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries}))
	return append([]extractFile{document("oci-layout", []byte(layoutFile)), index}, blobFiles(list)...), referrers
}

// named returns the descriptor of an image as index.json of a layout lists it.
func named(d v1.Descriptor, name string) v1.Descriptor {
	d.Annotations = map[string]string{annotationImageName: name, annotationRefName: name}
	return d
}

// blobFiles returns the files of blobs, each once.
func blobFiles(list []v1.Descriptor) []extractFile {
	var all []extractFile
	for _, d := range (once{}).add(nil, list...) {
		all = append(all, extractFile{name: blobName(d.Digest), size: d.Size, blob: d.Digest})
	}
	return all
}

// document returns a file that is not a blob.
func document(name string, data []byte) extractFile {
	return extractFile{name: name, size: int64(len(data)), data: data}
}
