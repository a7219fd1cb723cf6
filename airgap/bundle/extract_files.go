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
		}
	} else {
		i.Referrers = nil
	}
	index := document("index.json", i.layoutIndex(top))
	return append([]extractFile{document("oci-layout", []byte(layoutFile)), index}, blobFiles(list)...), referrers
}

// layoutIndex returns the index.json of a layout that has the image as top, its index or one of
// its manifests, and its referrers. Nothing is in it that no digest covers but names, and the
// subject of each referrer: so there is one form of it, which readers of a layout insist on.
func (i Image) layoutIndex(top v1.Descriptor) []byte {
	entries := []v1.Descriptor{{
		MediaType: top.MediaType, Digest: top.Digest, Size: top.Size,
		Annotations: map[string]string{annotationImageName: i.Name, annotationRefName: i.Name},
	}}
	for _, r := range i.Referrers {
		entries = append(entries, r.descriptor(i))
	}
	return marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries})
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
