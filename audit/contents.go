package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint"
)

// contents are the blobs of an OCI layout, and what its images use of them.
type contents struct {
	files

	prefix string
	// partial means that blobs are elsewhere on purpose.
	partial bool

	mu     sync.Mutex
	used   map[string]bool
	bytes  int64               // of documents that were read, each as often as it is listed
	images map[string][]string // the layers of manifests, by the digests of their configurations
	lists  []layoutImage       // the images of index.json, in its order

	names    nameList
	subjects []string
	snapshot string // product and version of the bundle of a snapshot
}

// layoutImage is an image that index.json lists, and the configurations of its manifests.
type layoutImage struct {
	name    string
	configs []string
}

// fragments are the annotations of bundles that lack layers on purpose: what has been delivered, is
// in another volume, or is in the bundle of another group.
var fragments = []string{"delta", "volume", "needs"}

func newContents(all files, prefix string, top v1.IndexManifest) *contents {
	has := func(key string) string { return top.Annotations["dev.slipway.bundle."+key] }
	partial := func(key string) bool { return has(key) != "" }
	snapshot := ""
	if has("snapshot") == "true" {
		snapshot = output.Line(has("product") + " " + has("version"))
	}
	return &contents{
		snapshot: snapshot,
		files:    all, prefix: prefix, partial: slices.ContainsFunc(fragments, partial),
		used: map[string]bool{}, images: map[string][]string{},
	}
}

// path is that of a blob.
func (c *contents) path(h v1.Hash) string { return c.prefix + "blobs/" + h.Algorithm + "/" + h.Hex }

// use notes that something lists blobs.
func (c *contents) use(list ...v1.Descriptor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range list {
		c.used[c.path(d.Digest)] = true
	}
}

// get reads a document, and compares it with its digest.
func (c *contents) get(d v1.Descriptor) ([]byte, error) {
	c.use(d)
	return oci.Open(func(h v1.Hash) (io.ReadCloser, error) {
		b, err := c.read(c.path(h))
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.bytes += int64(len(b)); c.bytes > maxRead {
			return nil, fmt.Errorf("its documents have more than %d MiB, each as often as it is listed", maxRead>>20)
		}
		return io.NopCloser(bytes.NewReader(b)), err
	}).Get(d)
}

// maxRead bounds the documents of an archive that are read, in bytes.
const maxRead = 1 << 30

// blobs opens a layer.
func (c *contents) blobs(d v1.Descriptor) (io.ReadCloser, error) { return c.open(c.path(d.Digest)) }

// begin notes an image of index.json.
func (c *contents) begin(d v1.Descriptor) {
	c.lists = append(c.lists, layoutImage{name: named(d)})
	if name := cmp.Or(d.Annotations[imageName], d.Annotations[refName]); name != "" {
		c.names.add("index.json", name, d.Annotations[artifactKind], d.Digest.String())
	}
}

// layers names the missing layers of a manifest, and the damaged ones. If the configuration is
// missing, the image was omitted from the archive, and no layer is expected.
func (c *contents) layers(t *oci.Tree) (lost, damaged []string, err error) {
	c.use(t.Blobs()...)
	if t.Subject != nil && !c.has(c.path(t.Subject.Digest)) {
		c.mu.Lock()
		c.subjects = append(c.subjects, alone(t.Desc.Digest.String(), t.Subject.Digest))
		c.mu.Unlock()
	}
	if t.Config == nil || !c.has(c.path(t.Config.Digest)) {
		return nil, nil, nil
	}
	var names []string
	for _, l := range t.Layers {
		names = append(names, l.Digest.String())
		f, err := c.stat(c.path(l.Digest))
		switch of := outcome.Of(err); {
		case of == outcome.Absent:
			if !c.partial && l.MediaType.IsDistributable() {
				lost = append(lost, l.Digest.String())
			}
		case of != outcome.There:
			return nil, nil, err
		case l.Digest.Algorithm == f.sum.Algorithm && l.Digest != f.sum:
			damaged = append(damaged, fmt.Sprintf("the bytes of %s have the digest %s", l.Digest, f.sum))
		case l.Size != f.size:
			damaged = append(damaged, fmt.Sprintf("%s has %d bytes, its manifest says %d", l.Digest, f.size, l.Size))
		}
	}
	c.mu.Lock()
	c.images[t.Config.Digest.String()] = names
	// Signatures under cosign's tags have a configuration, and no layer that docker loads.
	other := func(l v1.Descriptor) bool { return !l.MediaType.IsLayer() }
	if n := len(c.lists) - 1; t.Config.MediaType.IsConfig() && !slices.ContainsFunc(t.Layers, other) {
		c.lists[n].configs = append(c.lists[n].configs, t.Config.Digest.String())
	}
	c.mu.Unlock()
	return lost, damaged, nil
}

// useAll notes that something lists a document, and everything below it.
func (c *contents) useAll(d v1.Descriptor) {
	t, err := oci.Read(d, func(d v1.Descriptor) ([]byte, error) {
		raw, err := c.get(d)
		if err != nil {
			return nil, oci.ErrAbsent
		}
		return raw, nil
	}, oci.Limits{})
	if err != nil {
		return
	}
	for one := range t.All() {
		c.use(one.Blobs()...)
	}
}

// end notes the blobs that an image uses and that were not read with it: its attestations.
func (c *contents) end(i lint.Index) {
	c.attested(i)
	slices.Sort(c.lists[len(c.lists)-1].configs)
}

// attested notes the attestations that an index lists.
func (c *contents) attested(i lint.Index) {
	for _, e := range i.Entries {
		if e.IsAttestation() {
			c.useAll(e.Desc)
		}
		if e.Nested != nil {
			c.attested(*e.Nested)
		}
	}
}

// archive returns the facts about the archive as a whole.
func (c *contents) archive(from string, list []lint.Index) *lint.Archive {
	a := &lint.Archive{Path: from, Snapshot: c.snapshot}
	c.signatures()
	slices.Sort(c.subjects)
	a.Subjects = slices.Compact(c.subjects)
	c.compare(a)
	a.Ambiguous = c.names.twice
	for _, i := range list {
		if !known(i) {
			return a
		}
	}
	var names []string
	for name, size := range c.below(c.prefix + "blobs") {
		if !c.used[name] {
			names = append(names, name)
			a.UnusedBytes += size
		}
	}
	slices.Sort(names)
	const most = 3
	a.UnusedFiles, a.Unused = len(names), names[:min(most, len(names))]
	return a
}

// known reports whether everything was read that an image lists.
func known(i lint.Index) bool {
	return !slices.ContainsFunc(i.Entries, func(e lint.Entry) bool {
		return e.Read == outcome.Broken || e.Read == outcome.Unread || e.Nested != nil && !known(*e.Nested)
	})
}

// alone says what the archive lacks the subject of.
func alone(what string, subject v1.Hash) string {
	return fmt.Sprintf("%s is about %s, which is not there", what, subject)
}

// signatures checks the images with names like cosign's tags: sha256-HEX.sig has to be about a
// document of the archive.
func (c *contents) signatures() {
	for _, l := range c.lists {
		tag := l.name[strings.LastIndexByte(l.name, ':')+1:]
		hex, _, _ := strings.Cut(strings.TrimPrefix(tag, "sha256-"), ".")
		h, err := v1.NewHash("sha256:" + hex)
		if err == nil && strings.HasPrefix(tag, "sha256-") && !c.has(c.path(h)) {
			c.subjects = append(c.subjects, alone(l.name, h))
		}
	}
}
