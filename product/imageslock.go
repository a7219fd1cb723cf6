package product

import (
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// ImagesLock is the name of the file next to slipway.yaml that pins the images that third-party
// manifests and charts name by tag.
const ImagesLock = "images.lock.yaml"

// LockedImage is an entry of images.lock.yaml.
type LockedImage struct {
	Reference string // repository:tag, as the manifest has it
	Digest    v1.Hash
	Pos       yamlfile.Pos
}

// imagesLockYAML is the file that slipway pin writes next to slipway.yaml with the digests of
// third-party images that manifests name by tag, where these are not files of the repository.
type imagesLockYAML struct {
	// The format of this file: slipway/v1.
	APIVersion string `yaml:"apiVersion" jsonschema:"required"`
	// The pinned images.
	Images []lockedImageYAML `yaml:"images" jsonschema:"required"`
}

// lockedImageYAML is a third-party image.
type lockedImageYAML struct {
	// The reference of the manifest: repository:tag.
	Reference string `yaml:"reference" jsonschema:"required"`
	// The digest of the index, or of the manifest without an index.
	Digest string `yaml:"digest" jsonschema:"required"`
}

var imagesLock = lockFile[imagesLockYAML, LockedImage]{
	name: ImagesLock, content: "The digests of images that manifests of others name by tag", command: "pin",
	version: func(f *imagesLockYAML) *string { return &f.APIVersion },
	read:    readImages,
	written: writtenImages,
}

func readImages(d *yamlfile.Document, in *imagesLockYAML) (list []LockedImage) {
	seen := map[string]bool{}
	for i := range in.Images {
		e := &in.Images[i]
		if e.Reference == "" || e.Digest == "" {
			continue
		}
		before := len(d.Errors)
		digest := lockedDigest(d, &e.Reference, &e.Digest, "pin")
		if len(d.Errors) > before {
			continue
		}
		tag, err := name.NewTag(e.Reference)
		if err != nil || seen[tag.Name()] {
			d.Errorf(&e.Reference, "%s is listed twice: run %s", e.Reference, howto.Run("pin"))
			continue
		}
		seen[tag.Name()] = true
		list = append(list, LockedImage{e.Reference, digest, d.Pos(&e.Reference)})
	}
	return list
}

func writtenImages(list []LockedImage) imagesLockYAML {
	out := imagesLockYAML{Images: []lockedImageYAML{}}
	for _, e := range list {
		out.Images = append(out.Images, lockedImageYAML{e.Reference, e.Digest.String()})
	}
	return out
}

// EncodeImages returns the bytes of images.lock.yaml.
func EncodeImages(list []LockedImage) ([]byte, error) { return imagesLock.encode(list) }
