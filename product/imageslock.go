package product

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

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

// imagesLockYAML is what slipway pin writes beside slipway.yaml: the digests of third-party images
// that manifests name by tag, where these are not files of the repository.
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
	// The digest of the index, or of the manifest if there is no index.
	Digest string `yaml:"digest" jsonschema:"required"`
}

const imagesLockHead = `# The digests of images that manifests of others name by tag. slipway pin writes this file: commit it, and read what changes in it.
`

// lockedImages reads images.lock.yaml, if it is there. With anew the file is about to be replaced:
// then only a format that is too new is an error.
func (c *checker) lockedImages(anew bool) error {
	path := filepath.Join(filepath.Dir(c.out.Path), ImagesLock)
	b, err := yamlfile.ReadText(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, cause(err))
	}
	list, errs, newer := parseImagesLock(path, b)
	if !anew || newer {
		c.Errors = append(c.Errors, errs...)
	}
	c.out.LockedImages = list
	return nil
}

// parseImagesLock reads images.lock.yaml. newer reports whether its format is newer than this code,
// which then is the only error.
func parseImagesLock(path string, b []byte) (list []LockedImage, errs yamlfile.Errors, newer bool) {
	var in imagesLockYAML
	d := decode(path, b, &in)
	if newer := apiVersion(d, &in.APIVersion); newer {
		return nil, d.Errors, true
	}
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
	return list, d.Errors, false
}

// EncodeImages returns the bytes of images.lock.yaml.
func EncodeImages(list []LockedImage) ([]byte, error) {
	out := imagesLockYAML{APIVersion: APIVersion, Images: []lockedImageYAML{}}
	for _, e := range list {
		out.Images = append(out.Images, lockedImageYAML{e.Reference, e.Digest.String()})
	}
	return encodeLock(ImagesLock, imagesLockHead, out)
}
