package publish

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// node is a manifest or an index with all below it.
type node struct {
	desc     v1.Descriptor
	raw      []byte
	children []*node         // of an index
	blobs    []v1.Descriptor // of a manifest: the configuration, then the layers
}

// document has the fields of an index and of a manifest.
type document struct {
	MediaType types.MediaType `json:"mediaType"`
	Manifests []v1.Descriptor `json:"manifests"`
	Config    *v1.Descriptor  `json:"config"`
	Layers    []v1.Descriptor `json:"layers"`
}

// maxDepth bounds indexes in indexes.
const maxDepth = 4

// walk reads the tree below d with a function that returns the bytes of a manifest.
func walk(d v1.Descriptor, get func(v1.Descriptor) ([]byte, error), depth int) (*node, error) {
	raw, err := get(d)
	if err != nil {
		return nil, err
	}
	n := &node{desc: d, raw: raw}
	var doc document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("reading manifest %s: %w", d.Digest, err)
	}
	switch {
	case doc.MediaType != "":
		n.desc.MediaType = doc.MediaType
	case n.desc.MediaType != "":
	case doc.Manifests != nil:
		n.desc.MediaType = types.OCIImageIndex
	default:
		n.desc.MediaType = types.OCIManifestSchema1
	}
	switch {
	case n.desc.MediaType.IsIndex() && depth == 0:
		return nil, fmt.Errorf("index %s stands in too many others", d.Digest)
	case n.desc.MediaType.IsIndex():
		for _, c := range doc.Manifests {
			child, err := walk(c, get, depth-1)
			if err != nil {
				return nil, err
			}
			n.children = append(n.children, child)
		}
	case n.desc.MediaType.IsImage() && doc.Config != nil:
		n.blobs = append([]v1.Descriptor{*doc.Config}, doc.Layers...)
	default:
		return nil, fmt.Errorf("%s is of type %q, neither an image nor an index", d.Digest, n.desc.MediaType)
	}
	return n, nil
}

// local reads a tree from the store and reports whether it and all its blobs are there, in full
// size.
func local(st *store.Store, d v1.Descriptor) (root *node, here bool, err error) {
	root, err = walk(d, func(d v1.Descriptor) ([]byte, error) { return st.ReadAll(d.Digest, network.MaxManifest) }, maxDepth)
	if store.Missing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	here = true
	for n := range root.all {
		for _, b := range n.blobs {
			ok, err := st.Check(b)
			if err != nil {
				return nil, false, err
			}
			here = here && ok
		}
	}
	return root, here, nil
}

// all yields the node and everything below it, children first.
func (n *node) all(yield func(*node) bool) { n.visit(yield) }

func (n *node) visit(yield func(*node) bool) bool {
	for _, c := range n.children {
		if !c.visit(yield) {
			return false
		}
	}
	return yield(n)
}

// platforms lists the systems an index names, sorted; what is about an image, such as a
// provenance, names none.
func (n *node) platforms() []v1.Platform {
	var all []v1.Platform
	for c := range n.all {
		p := c.desc.Platform
		if p == nil || len(c.children) > 0 || p.OS == "" || p.OS == "unknown" {
			continue
		}
		if !slices.ContainsFunc(all, p.Equals) {
			all = append(all, *p)
		}
	}
	platform.Sort(all)
	return all
}
