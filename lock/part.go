package lock

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/platform"
)

// Part lists what one machine published of a release: manifests by digest, for selected
// platforms or images. [Merge] joins parts.
type Part struct {
	PartVersion int      `json:"partVersion"` // of the file's format
	Selected    []string `json:"selected"`    // by -platforms or -images
	Shard       *Shard   `json:"shard,omitempty"`
	Release
	Images     []PartImage  `json:"images"`
	ThirdParty []ThirdParty `json:"thirdParty,omitempty"`
	Artifacts  []Artifact   `json:"artifacts,omitempty"`
	Compilers  []Compiler   `json:"compilers,omitempty"`
	Prebuilt   []Prebuilt   `json:"prebuilt,omitempty"`
	Inventory  *Inventory   `json:"inventory,omitempty"`
	Materials  []Material   `json:"materials,omitempty"` // sorted

	Path string `json:"-"` // of the file that it was read from, for messages
}

// PartImage is an image of a part, without a digest, because its index consists of the children of
// all parts and of Annotations.
type PartImage struct {
	Name        string            `json:"name"`
	Kind        string            `json:"kind"`
	Repository  string            `json:"repository"`
	Copies      []string          `json:"copies,omitempty"`
	Tags        []string          `json:"tags"` // that the index will have
	MediaType   types.MediaType   `json:"mediaType"`
	Annotations map[string]string `json:"annotations,omitempty"` // of the index
	Children    []Child           `json:"children"`
	// PlatformTags have no digests yet, for the same reason.
	PlatformTags []PartTag `json:"platformTags,omitempty"`
	// FloatingTags move when all of the release is published.
	FloatingTags []string `json:"floatingTags,omitempty"`
	Groups       []string `json:"groups,omitempty"` // of images that it is in
}

// Shard states which shard of a plan a part is.
type Shard struct {
	Plan   string `json:"plan"`   // SHA-256 of the plan's file, in hex
	Number int    `json:"number"` // from 0
	Of     int    `json:"of"`     // how many the plan has
}

// PartTag is a tag for some platforms of an image, as in [PlatformTag].
type PartTag struct {
	Tag       string              `json:"tag"`
	Platforms []platform.Platform `json:"platforms"`
}

// PartVersion is the format of parts.
const PartVersion = 1

// PartName is the file's name in dist/.
const PartName = distfile.Part

// ReadPart reads a part from a file, as [Read] reads a lock.
func ReadPart(path string) (*Part, error) {
	var p Part
	if err := stagefile.Part.Read(path, &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, stagefile.Part.Invalid(err))
	}
	p.Path = path
	return &p, nil
}

// Write writes the part as [Lock.Write] does.
func (p *Part) Write(path string) error { return stagefile.Part.Write(path, p) }

func (p *Part) check() error {
	for _, i := range p.Images {
		if err := checkNames(i.Named()); err != nil {
			return fmt.Errorf("image %q: %w", i.Name, err)
		}
		if err := CheckChildren(i.Children); err != nil {
			return fmt.Errorf("image %q: %w", i.Name, err)
		}
		if n := len(i.Children); n == 0 || n > 1 && !i.MediaType.IsIndex() {
			return fmt.Errorf("image %q: it has %d manifests", i.Name, n)
		}
	}
	return errors.Join(checkOthers(p.ThirdParty, p.Artifacts, p.Prebuilt), p.Inventory.check())
}

// Named returns an image with the names and children of i, and without digests.
func (i PartImage) Named() Image {
	img := Image{
		Name: i.Name, Kind: i.Kind, Repository: i.Repository, Copies: i.Copies, Tags: i.Tags,
		MediaType: i.MediaType, Children: i.Children, Groups: i.Groups,
	}
	for _, t := range i.PlatformTags {
		img.PlatformTags = append(img.PlatformTags, PlatformTag{Tag: t.Tag, Platforms: t.Platforms})
	}
	for _, t := range i.FloatingTags {
		for _, r := range img.Repositories() {
			img.FloatingTags = append(img.FloatingTags, FloatingTag{Tag: t, Repository: r})
		}
	}
	return img
}

// Image returns an image of these children, and the bytes of the indexes that its tags name. An
// image of a single manifest has no index. Platform tags for none of the children are omitted.
func (i PartImage) Image() (img Image, indexes map[v1.Hash][]byte, err error) {
	img, indexes = i.Named(), map[v1.Hash][]byte{}
	made := func(children []Child) (v1.Descriptor, error) {
		d, raw, err := i.index(children)
		if raw != nil {
			indexes[d.Digest] = raw
		}
		return d, err
	}
	all, err := made(i.Children)
	if err != nil {
		return Image{}, nil, err
	}
	img.Digest, img.Size = all.Digest, all.Size
	var tags []PlatformTag
	for _, t := range img.PlatformTags {
		var of []Child
		for _, c := range i.Children {
			if t.Has(c.Platform) {
				of = append(of, c)
			}
		}
		if len(of) == 0 {
			continue
		}
		d := v1.Descriptor{MediaType: of[0].MediaType, Digest: of[0].Digest, Size: of[0].Size}
		if len(of) > 1 {
			if d, err = made(of); err != nil {
				return Image{}, nil, err
			}
		}
		t.MediaType, t.Digest, t.Size = d.MediaType, d.Digest, d.Size
		tags = append(tags, t)
	}
	img.PlatformTags = tags
	return img, indexes, nil
}

// index makes the index of children. An image of a single manifest has no index.
func (i PartImage) index(children []Child) (d v1.Descriptor, raw []byte, err error) {
	d.MediaType = i.MediaType
	if !i.MediaType.IsIndex() {
		d.Digest, d.Size = children[0].Digest, children[0].Size
		return d, nil, nil
	}
	var list []v1.Descriptor
	for _, c := range children {
		list = append(list,
			v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size, Platform: c.Platform.V1()})
	}
	if raw, err = oci.MakeIndex(list, i.Annotations); err != nil {
		return d, nil, err
	}
	d.Digest, d.Size, err = v1.SHA256(bytes.NewReader(raw))
	return d, raw, err
}

// Has reports whether a digest is that of a child or an artifact of the part.
func (p *Part) Has(h v1.Hash) bool {
	return slices.ContainsFunc(p.Images, func(i PartImage) bool {
		return slices.ContainsFunc(i.Children, func(c Child) bool { return c.Digest == h })
	}) || slices.ContainsFunc(p.Artifacts, func(a Artifact) bool { return a.Digest == h })
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
		SchemaVersion: SchemaVersion, Release: p.Release, Images: images,
		ThirdParty: p.ThirdParty, Artifacts: p.Artifacts, Compilers: p.Compilers, Prebuilt: p.Prebuilt,
	}
}
