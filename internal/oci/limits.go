package oci

import "cmp"

const (
	// MaxManifest is the size in bytes above which registries refuse an index or a manifest
	// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pushing-manifests).
	MaxManifest = 4 << 20
	// MaxConfig is the size in bytes of the largest configuration that is read.
	MaxConfig = 8 << 20
	// MaxValues is how many values the JSON of one document may have: encoding/json makes a
	// descriptor out of the two bytes "{}".
	MaxValues = 160 << 10
	// MaxDepth is how many indexes an image may be in.
	MaxDepth = 4
	// MaxNesting is how deep JSON may nest. encoding/json goes 10,000 levels deep.
	MaxNesting = 32
)

// Limits bound what reading documents costs. A field that is zero has the default.
type Limits struct {
	// Depth is how many indexes may contain one another; [MaxDepth].
	Depth int
	// Manifests is how many documents one tree may have; 64 Ki.
	Manifests int
	// Layers is how many layers the manifests of one tree may list; 64 Ki.
	Layers int
	// References is how often all trees of a [Reader] may list a document or a layer; 128 Ki. Each
	// takes memory, also where it is the same again.
	References int
	// Bytes is how many bytes of documents a [Reader] reads; 192 MiB. Documents that are listed
	// again are read again.
	Bytes int64
}

func (l Limits) defaults() Limits {
	return Limits{
		Depth:      cmp.Or(l.Depth, MaxDepth),
		Manifests:  cmp.Or(l.Manifests, 64<<10),
		Layers:     cmp.Or(l.Layers, 64<<10),
		References: cmp.Or(l.References, 128<<10),
		Bytes:      cmp.Or(l.Bytes, 192<<20),
	}
}
