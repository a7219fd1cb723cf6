package bundle

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/oci"
)

const (
	ChunkSize = chunkSize
	Chunks    = chunks
	MaxBlob   = maxBlob
	MaxValues = maxValues

	AnnotationFormat       = annotationFormat
	AnnotationMetadata     = annotationMetadata
	AnnotationImageName    = annotationImageName
	AnnotationRefName      = annotationRefName
	AnnotationManifestOnly = annotationManifestOnly
	AnnotationTag          = annotationTag
)

var (
	DigestOf  = digestOf
	ReadDelta = readDelta
	SumOf     = sumOf
	Word      = word
)

// Limits sets how many layers a bundle may have and how many problems are reported, and returns
// what restores them.
func Limits(count, problems int) func() {
	c, p := maxCount, maxProblems
	maxCount, maxProblems = count, problems
	return func() { maxCount, maxProblems = c, p }
}

// NewBundle opens a bundle in memory. Close does nothing.
func NewBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	b, err := newBundle(r, size)
	if err == nil {
		b.closer = io.NopCloser(nil)
	}
	return b, err
}

// Head is a head as it was read.
type Head = head

// ParseHead reads a decompressed head.
func ParseHead(r io.Reader) (*Head, error) { return parseHead(r) }

// Head is the head of the bundle.
func (b *Bundle) Head() *Head { return b.head }

// Contents decodes the head.
func (h *head) Contents() (*Contents, error) { return h.contents() }

// Documents are index.json and manifest.json.
func (h *head) Documents(tb testing.TB) (index, docker []byte) {
	index, err := json.Marshal(h.index)
	if err != nil {
		tb.Fatal(err)
	}
	return index, h.docker
}

// With is a head with the same blobs and other documents.
func (h *head) With(index, docker []byte) (*Head, error) {
	other := &head{docker: docker, blobs: h.blobs}
	return other, oci.Decode("index.json", index, &other.index, maxValues)
}

// ExtractFiles lists the files that extracting an image would write.
func (h *head) ExtractFiles(i Image, o ExtractOptions) error {
	i, only, err := i.extracted(o)
	if err == nil {
		(&Bundle{head: h}).files(i, only, o)
	}
	return err
}

// ReferrerLayers are the blobs of a referrer behind the head.
func ReferrerLayers(r Referrer) []v1.Descriptor {
	_, layers := r.blobs()
	return layers
}

// Metadata returns the metadata blobs.
func (b *Bundle) Metadata() map[v1.Hash][]byte { return b.head.blobs }

// LayerOrder returns the layers in the order of the archive.
func (b *Bundle) LayerOrder() []v1.Descriptor { return b.head.layers }

// HeadSize is how many bytes of the archive precede the first layer.
func (b *Bundle) HeadSize() int64 { return b.head.size }

// Offset is where the entry of a layer begins in the archive.
func (b *Bundle) Offset(h v1.Hash) int64 { return b.layers[h].off }

// Archive is the decompressed archive.
func (b *Bundle) Archive() *seekable.Reader { return b.archive }

// SplitSteps are what Split does after it wrote volumes to the stage, one by one.
func SplitSteps(dir, name, stage string, v *Volumes) ([]func() error, error) {
	s := newVolumeSet(dir, name)
	earlier, err := s.earlier()
	return s.steps(stage, v, earlier), err
}

// SplitAbove splits for volumes of one size, and writes them with a limit below that.
func (b *Bundle) SplitAbove(ctx context.Context, size int64, v *Volumes, o SplitOptions) error {
	parts, err := b.parts(size)
	if err != nil {
		return err
	}
	return b.writeVolumes(ctx, parts, v, o)
}

// Layers are the layers of a layout, in the order of the archive.
func (l *Layout) Layers() []v1.Descriptor { return l.layers }

// Documents are manifest.json and index.json, and how many metadata blobs there are.
func (l *Layout) Documents() (docker, index []byte, metadata int) {
	return l.docker, l.index, len(l.metadata)
}

// Stream writes a bundle to out.
func (w *Writer) Stream(ctx context.Context, out io.Writer, l *Layout) error {
	return w.stream(ctx, newSink(out), nil, l, nil)
}

// Twins writes a bundle to out, and as gzip to gz.
func (w *Writer) Twins(ctx context.Context, l *Layout, out, gz io.Writer) error {
	return w.stream(ctx, newSink(out), newSink(gz), l, nil)
}

// Raw returns index.json and manifest.json as they were read.
func (b *Bundle) Raw() (index, docker []byte) { return b.head.raw, b.head.docker }

// Index is index.json.
func (b *Bundle) Index() v1.IndexManifest { return b.head.index }
