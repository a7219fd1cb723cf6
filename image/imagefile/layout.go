package imagefile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// Bounds of what index.json lists, with the values of [oci.Limits].
const (
	maxDepth      = 4
	maxDocuments  = 64 << 10
	maxReferences = 128 << 10
	maxBytes      = 192 << 20
)

// layout has the documents of an OCI layout
// (https://github.com/opencontainers/image-spec/blob/main/image-layout.md).
type layout struct {
	files     files
	top       []entry
	documents map[v1.Hash]*node

	references int
	bytes      int64
}

// node is a manifest, or an index with what it lists.
type node struct {
	*oci.Tree // Children are not filled

	entries []entry
}

// entry is a descriptor of index.json, or of an index below it.
type entry struct {
	v1.Descriptor

	node *node // nil for a missing document, and for one that is neither an image nor an index
}

// absent reports whether a document is listed that is not there.
func (e entry) absent() bool {
	return e.node == nil && (e.MediaType == "" || e.MediaType.IsImage() || e.MediaType.IsIndex())
}

// readLayout reads the documents of a layout, each once, and omits missing ones: a builder may
// export a part of an index.
func readLayout(from files) (*layout, error) {
	raw, err := read(from, "oci-layout", 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		if err := misnamed(from, "oci-layout"); err != nil {
			return nil, err
		}
		return nil, errors.New("it has no file oci-layout: name an OCI layout, " +
			"or, for an archive of docker save, write docker-archive:FILE")
	}
	if err != nil {
		return nil, err
	}
	var version struct {
		ImageLayoutVersion string `json:"imageLayoutVersion"`
	}
	if err := oci.Decode("oci-layout", raw, &version, 100); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(version.ImageLayoutVersion, "1.") {
		return nil, fmt.Errorf("reading oci-layout: the layout has version %.100q, not 1.0.0: write one of 1.0.0",
			version.ImageLayoutVersion)
	}
	return readIndex(from)
}

func readIndex(from files) (*layout, error) {
	raw, err := read(from, "index.json", oci.MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(misnamed(from, "index.json"), err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the layout: %w", err)
	}
	var top v1.IndexManifest
	if err := oci.Decode("index.json", raw, &top, oci.MaxValues); err != nil {
		return nil, err
	}
	if top.SchemaVersion != 2 {
		return nil, fmt.Errorf("reading index.json: its schemaVersion is %d, not 2: build the image anew",
			top.SchemaVersion)
	}
	l := &layout{files: from, documents: map[v1.Hash]*node{}}
	l.top, err = l.entries(top.Manifests, maxDepth)
	return l, err
}

func (l *layout) entries(list []v1.Descriptor, depth int) ([]entry, error) {
	if l.references += len(list); l.references > maxReferences {
		return nil, fmt.Errorf("its indexes list more than %d manifests: export fewer images", maxReferences)
	}
	all := make([]entry, len(list))
	for n, d := range list {
		found, err := l.read(d, depth)
		if err != nil {
			return nil, err
		}
		all[n] = entry{d, found}
	}
	return all, nil
}

// read reads a document and those below it.
func (l *layout) read(d v1.Descriptor, depth int) (*node, error) {
	if d.MediaType != "" && !d.MediaType.IsImage() && !d.MediaType.IsIndex() {
		return nil, nil //nolint:nilnil // others are passed over, as the specification asks for
	}
	known := l.documents[d.Digest]
	if known != nil && (d.Size == 0 || d.Size == known.Desc.Size) {
		return known, nil
	}
	raw, err := l.get("manifest", d, oci.MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a part was exported
	}
	if err != nil {
		return nil, err
	}
	t, err := oci.Parse(d, raw)
	if err != nil {
		return nil, err
	}
	t.Desc.Platform, t.Desc.Annotations = nil, nil // those of one entry of several
	found := &node{Tree: t}
	if len(l.documents) == maxDocuments {
		return nil, fmt.Errorf("it has more than %d manifests: export fewer images", maxDocuments)
	}
	l.documents[d.Digest] = found
	if !t.Desc.MediaType.IsIndex() {
		return found, nil
	}
	if depth == 0 {
		return nil, fmt.Errorf("index %s is nested in more than %d others: list its images in index.json",
			d.Digest, maxDepth)
	}
	var list []v1.Descriptor
	for _, c := range t.Children {
		list = append(list, c.Desc)
	}
	found.entries, err = l.entries(list, depth-1)
	return found, err
}

// get returns a document or a configuration, and counts its bytes.
func (l *layout) get(what string, d v1.Descriptor, limit int64) ([]byte, error) {
	raw, err := document(l.files, what, d, limit)
	if l.bytes += int64(len(raw)); err == nil && l.bytes > maxBytes {
		err = fmt.Errorf("its documents have more than %d MiB: export fewer images", maxBytes>>20)
	}
	return raw, err
}

// below yields entries and what the indexes among them list, each index once.
func below(list []entry) iter.Seq[entry] {
	return func(yield func(entry) bool) { visit(list, map[v1.Hash]bool{}, yield) }
}

func visit(list []entry, seen map[v1.Hash]bool, yield func(entry) bool) bool {
	for _, e := range list {
		if !yield(e) {
			return false
		}
		if e.node == nil || len(e.node.entries) == 0 || seen[e.Digest] {
			continue
		}
		seen[e.Digest] = true
		if !visit(e.node.entries, seen, yield) {
			return false
		}
	}
	return true
}
