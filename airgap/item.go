package airgap

import (
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// maxBlob bounds an index, a manifest or a configuration in bytes. Registries refuse manifests
// above 4 MiB.
const maxBlob = 8 << 20

// item is one image, read and checked. Packing reads items from the store and takes what a bundle
// is for; inspecting reads them from a bundle's head.
type item struct {
	name, pinned string
	own          string // its name in slipway.yaml; empty for an image of images.txt
	written      string // as in images.txt; empty for an image of the product
	lifecycle    bool   // travels in the bundle for all platforms only
	standIn      map[v1.Hash]bool
	desc         v1.Descriptor
	index        bool
	children     []node
	attached     []attachment
	// manifests that a bundle says are bare in it; false once they are found
	named map[v1.Hash]bool
}

// node is one manifest of an item.
type node struct {
	desc     v1.Descriptor
	platform platform.Platform
	config   v1.Descriptor
	layers   []v1.Descriptor
	diffIDs  []v1.Hash
	image    bool // false for attestations and other artifacts that stand in an index
	absent   bool // the bundle does not hold the manifest; nothing but desc and platform is known
	bare     bool // absent, but for the bytes of the manifest itself
}

// blobs gives the bytes of a small blob: from the store, or from a bundle's head. errAbsent says
// that a bundle does not hold it.
type blobs func(v1.Descriptor) ([]byte, error)

var errAbsent = errors.New("the bundle does not hold it")

// own reads an image of the product and holds it against the lock.
func own(st *store.Store, i lock.Image) (item, error) {
	if i.Repository == "" || i.Tag == "" {
		return item{}, fmt.Errorf("%s has no name in the lock: publish the images before packing them", i.Name)
	}
	tagged, pinned, err := names(i.Tagged(), i.Digest)
	if err != nil {
		return item{}, err
	}
	it := item{name: tagged, pinned: pinned, own: i.Name, lifecycle: i.Kind == "lifecycle", standIn: map[v1.Hash]bool{}}
	if err := it.load(st, v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}); err != nil {
		return item{}, fmt.Errorf("%s: %w", i.Name, err)
	}
	if len(it.children) != len(i.Children) {
		return item{}, fmt.Errorf("%s: the lock names %d platforms, the index %s has %d: build the image again", i.Name, len(i.Children), i.Digest, len(it.children))
	}
	for n, c := range i.Children {
		got := it.children[n]
		if got.desc.Digest != c.Digest || !platform.Same(got.platform, c.Platform) || got.platform.OSVersion != c.OSVersion {
			return item{}, fmt.Errorf("%s: the lock has %s as %s, the index has %s as %s: build the image again",
				i.Name, c.Digest, c.Platform, got.desc.Digest, got.platform)
		}
		it.standIn[c.Digest] = c.StandIn() != ""
	}
	if err := it.attach(st, i.Referrers); err != nil {
		return item{}, fmt.Errorf("%s: %w", i.Name, err)
	}
	return it, nil
}

// foreign reads an image of images.txt.
func foreign(st *store.Store, t lock.ThirdParty) (item, error) {
	tagged, pinned, err := names(t.Reference, t.Digest)
	if err != nil {
		return item{}, err
	}
	it := item{name: tagged, pinned: pinned, written: t.Reference}
	if err := it.load(st, v1.Descriptor{MediaType: t.MediaType, Digest: t.Digest, Size: t.Size}); err != nil {
		return item{}, fmt.Errorf("%s: %w", t.Reference, err)
	}
	if err := it.attach(st, t.Referrers); err != nil {
		return item{}, fmt.Errorf("%s: %w", t.Reference, err)
	}
	return it, nil
}

// load reads the item from the store, and makes sure that its layers are there.
func (it *item) load(st *store.Store, d v1.Descriptor) error {
	err := it.read(d, func(d v1.Descriptor) ([]byte, error) {
		if err := present(st, d); err != nil {
			return nil, err
		}
		return st.ReadAll(d.Digest, maxBlob)
	})
	if err != nil {
		return err
	}
	for _, n := range it.children {
		for _, l := range n.layers {
			if err := present(st, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// read fills desc, index and children.
func (it *item) read(d v1.Descriptor, get blobs) error {
	it.desc = d
	if d.MediaType.IsImage() {
		n, err := readNode(d, get)
		it.children = []node{n}
		return err
	}
	if !d.MediaType.IsIndex() {
		return fmt.Errorf("%s is neither an image nor an index but %.100q", d.Digest, d.MediaType)
	}
	it.index = true
	var m v1.IndexManifest
	if err := readJSON(d, get, &m); err != nil {
		return err
	}
	if len(m.Manifests) > maxCount {
		return fmt.Errorf("index %s holds more than %d manifests", d.Digest, maxCount)
	}
	layers := 0
	for _, c := range m.Manifests {
		if !c.MediaType.IsImage() {
			return fmt.Errorf("index %s holds %s of type %.100q: a bundle carries images only", d.Digest, c.Digest, c.MediaType)
		}
		n, err := it.child(c, get)
		if err != nil {
			return err
		}
		if layers += len(n.layers); layers > maxCount {
			return fmt.Errorf("the manifests of index %s have more than %d layers", d.Digest, maxCount)
		}
		it.children = append(it.children, n)
	}
	return nil
}

func readNode(d v1.Descriptor, get blobs) (node, error) {
	var m v1.Manifest
	if err := readJSON(d, get, &m); err != nil {
		return node{}, err
	}
	if len(m.Layers) > maxCount {
		return node{}, fmt.Errorf("manifest %s has more than %d layers", d.Digest, maxCount)
	}
	for _, l := range m.Layers {
		if l.Size < 0 {
			return node{}, fmt.Errorf("layer %s of manifest %s has a negative size", l.Digest, d.Digest)
		}
	}
	n := node{desc: d, config: m.Config, layers: m.Layers}
	n.platform = platform.From(d.Platform)
	raw, err := get(m.Config)
	if err != nil {
		if errors.Is(err, errAbsent) {
			err = fmt.Errorf("configuration %s of manifest %s is not in the bundle", m.Config.Digest, d.Digest)
		}
		return node{}, err
	}
	if !m.Config.MediaType.IsConfig() || n.platform.OS == "unknown" {
		return n, nil
	}
	var c v1.ConfigFile
	if err := decode(m.Config.Digest.String(), raw, &c); err != nil {
		return node{}, err
	}
	n.image, n.diffIDs = true, c.RootFS.DiffIDs
	return n, n.check(c)
}

// check holds what the index says of a manifest against its configuration: RKE2 once shipped a
// bundle named 2025 with the 2022 image inside, because nothing did.
func (n *node) check(c v1.ConfigFile) error {
	has := platform.Platform{OS: c.OS, Architecture: c.Architecture, Variant: c.Variant, OSVersion: c.OSVersion}
	switch {
	case len(c.RootFS.DiffIDs) != len(n.layers):
		return fmt.Errorf("manifest %s has %d layers, its configuration %d", n.desc.Digest, len(n.layers), len(c.RootFS.DiffIDs))
	case n.desc.Platform == nil:
		n.platform = has
		return nil
	case n.platform.OSVersion == "":
		n.platform.OSVersion = has.OSVersion
	}
	if p := n.platform; p.OS != has.OS || p.Architecture != has.Architecture || p.OS == platform.Windows && platform.Short(p.OSVersion) != platform.Short(has.OSVersion) {
		return fmt.Errorf("the index has %s as %s, but the image is made for %s", n.desc.Digest, p, has)
	}
	return nil
}

func readJSON(d v1.Descriptor, get blobs, v any) error {
	b, err := get(d)
	if err != nil {
		return err
	}
	return decode(d.Digest.String(), b, v)
}

// present checks that a blob is in the store and has the size that its descriptor says.
func present(st *store.Store, d v1.Descriptor) error {
	switch here, err := st.Check(d); {
	case err != nil:
		return err
	case !here:
		return fmt.Errorf("%s (%s) is not in the store %s: build and publish again", d.Digest, d.MediaType, st.Dir())
	case d.Digest.Algorithm != "sha256":
		return fmt.Errorf("%s: only sha256 digests can be carried", d.Digest)
	}
	return nil
}

// describe says what of the item is in a bundle.
func (it *item) describe(holds func(node) bool) Image {
	i := Image{Name: it.name, Reference: it.pinned, MediaType: it.desc.MediaType, Digest: it.desc.Digest}
	for _, n := range it.children {
		if !holds(n) {
			p := n.platform
			// all that a reader of the bundle knows: the configuration, which may say more, is
			// not there
			if n.desc.Platform != nil {
				p = platform.From(n.desc.Platform)
			}
			i.Missing = append(i.Missing, p)
			continue
		}
		c := Child{Platform: n.platform, Digest: n.desc.Digest, Config: n.config.Digest}
		for _, l := range n.layers {
			c.Layers = append(c.Layers, Layer{l.MediaType, l.Digest, l.Size})
		}
		i.Children = append(i.Children, c)
	}
	return i
}
