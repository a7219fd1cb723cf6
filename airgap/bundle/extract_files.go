package bundle

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
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
		return append([]extractFile{document("manifest.json", marshal(tarball.Manifest{only.docker(i.Name)}))},
			blobFiles(list)...), 0
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

// lackingFiles returns the files that a directory lacks. A blob whose bytes do not have the
// digest in its name counts as lacking, and so does a document that is not complete. Anything
// else in the directory is an error, so that no other file is overwritten.
func lackingFiles(dir string, list []extractFile, count counted) ([]extractFile, error) {
	var own []string
	for _, e := range list {
		own = append(own, e.name)
	}
	switch other, err := otherFile(dir, own, disk.IsLock); {
	case other != "":
		return nil, fmt.Errorf("%s already exists and has %s, which is not of this image: name another directory",
			dir, other)
	case err != nil:
		return nil, err
	}
	var lacks []extractFile
	for _, e := range list {
		ok, err := hasFile(filepath.Join(dir, filepath.FromSlash(e.name)), e, count)
		if err != nil {
			return nil, err
		}
		if !ok {
			lacks = append(lacks, e)
		}
	}
	return lacks, nil
}

// hasFile reports whether a file has the bytes of e.
func hasFile(name string, e extractFile, count counted) (bool, error) {
	f, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if e.data != nil {
		got, err := io.ReadAll(io.LimitReader(f, e.size+1))
		if err == nil && !bytes.HasPrefix(e.data, got) {
			err = fmt.Errorf("%s already exists, and is of another image or was changed: name another directory", name)
		}
		return len(got) == len(e.data), err
	}
	if fi, err := f.Stat(); err != nil || fi.Size() != e.size {
		return false, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, count(f)); err != nil {
		return false, err
	}
	return oci.Sum(h) == e.blob, nil
}
