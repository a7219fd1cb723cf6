package lock

import (
	"bytes"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

// Part lists what one machine published of a release: manifests by digest, for selected
// platforms or images. [Merge] joins parts.
type Part struct {
	PartVersion int          `json:"partVersion"` // of the file's format
	Selected    []string     `json:"selected"`    // by -platforms or -images
	Name        string       `json:"name"`        // this and what follows are as in [Lock]
	Version     string       `json:"version"`
	Created     time.Time    `json:"created"`
	Registry    string       `json:"registry"`
	Go          string       `json:"go,omitempty"`
	Snapshot    bool         `json:"snapshot"`
	Sources     []Source     `json:"sources"`
	Images      []PartImage  `json:"images"`
	ThirdParty  []ThirdParty `json:"thirdParty,omitempty"`
	Artifacts   []Artifact   `json:"artifacts,omitempty"`
}

// PartImage is an image of a part. It has no digest, because its index consists of the children
// of all parts and of Annotations.
type PartImage struct {
	Name        string            `json:"name"`
	Kind        string            `json:"kind"`
	Repository  string            `json:"repository"`
	Tag         string            `json:"tag"` // that the index will have
	MediaType   types.MediaType   `json:"mediaType"`
	Annotations map[string]string `json:"annotations,omitempty"` // of the index
	Children    []Child           `json:"children"`
}

// PartVersion is the format of parts.
const PartVersion = 1

// PartName is the file's name in dist/.
const PartName = "release.part.json"

// ReadPart reads a part from a file, as [Read] reads a lock.
func ReadPart(path string) (*Part, error) {
	var p Part
	if err := stagefile.Part.Read(path, &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, stagefile.Part.Invalid(err))
	}
	return &p, nil
}

// Write writes the part as [Lock.Write] does.
func (p *Part) Write(path string) error { return stagefile.Part.Write(path, p) }

func (p *Part) check() error {
	for _, i := range p.Images {
		if err := imagename.Check(i.Repository + ":" + i.Tag); err != nil {
			return fmt.Errorf("image %q: %q is not its name: %w", i.Name, i.Repository+":"+i.Tag, err)
		}
		if err := CheckChildren(i.Children); err != nil {
			return fmt.Errorf("image %q: %w", i.Name, err)
		}
		if n := len(i.Children); n == 0 || n > 1 && !i.MediaType.IsIndex() {
			return fmt.Errorf("image %q: it has %d manifests", i.Name, n)
		}
	}
	return checkOthers(p.ThirdParty, p.Artifacts)
}

// Image returns an image of these children, and the bytes of its index. An image of a single
// manifest has no index.
func (i PartImage) Image() (img Image, index []byte, err error) {
	img = Image{Name: i.Name, Kind: i.Kind, Repository: i.Repository, Tag: i.Tag, MediaType: i.MediaType, Children: i.Children}
	if !i.MediaType.IsIndex() {
		img.Digest, img.Size = i.Children[0].Digest, i.Children[0].Size
		return img, nil, nil
	}
	var list []v1.Descriptor
	for _, c := range i.Children {
		list = append(list, v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size, Platform: c.Platform.V1()})
	}
	if index, err = oci.MakeIndex(list, i.Annotations); err != nil {
		return Image{}, nil, err
	}
	img.Digest, img.Size, err = v1.SHA256(bytes.NewReader(index))
	return img, index, err
}

// Local returns a lock of the part alone, for bundles and listings on the machine that made it.
// Its indexes list only the children of this part, and no registry has them.
func (p *Part) Local() (*Lock, error) {
	var images []Image
	for _, i := range p.Images {
		img, _, err := i.Image()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.Name, err)
		}
		images = append(images, img)
	}
	return p.Lock(images), nil
}

// Lock returns the lock of a release that has the given images, and everything else from p.
func (p *Part) Lock(images []Image) *Lock {
	return &Lock{
		SchemaVersion: SchemaVersion, Name: p.Name, Version: p.Version, Created: p.Created, Registry: p.Registry,
		Go: p.Go, Snapshot: p.Snapshot, Sources: p.Sources, Images: images, ThirdParty: p.ThirdParty, Artifacts: p.Artifacts,
	}
}
