package airgap

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/howto"
)

// Bundle is a bundle that is open for reading. Several goroutines may use it.
type Bundle struct {
	archive  *seekable.Reader
	closer   io.Closer
	head     *head
	contents *Contents
	places   map[v1.Hash]place
}

// place is where a layer's entry begins in the decompressed archive.
type place struct{ off, size int64 }

// Open opens a bundle. It reads the head and the seek table, not a byte of a layer, and believes
// nothing that it has not checked: digests, sizes, names, that every manifest is made for the
// platform its index says, and that the layers fill the archive. Any file may be given to it:
// memory and time are bounded, and what is no bundle, or one of a newer format, is an error that
// says so.
//
// A bundle that somebody compressed again has no seek table. It is read to its end once, to know
// that it is whole, and again for every blob; its contents say so in a note.
//
// A delta is refused, with what to do: all that opens bundles needs all layers.
func Open(path string) (*Bundle, error) {
	b, err := openAny(path)
	if err == nil && b.contents.Delta != nil {
		b.Close()
		return nil, b.contents.Delta.refusal(path)
	}
	return b, err
}

// openAny opens a bundle or a delta.
func openAny(path string) (*Bundle, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	b, err := newBundle(f, size)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b.closer = f
	return b, nil
}

// openFile opens a plain file, and tells its size. Others are not even opened: a pipe could wait
// for ever.
func openFile(path string) (*os.File, int64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("opening bundle: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: not a bundle of Slipway: it is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("opening bundle: %w", err)
	}
	return f, fi.Size(), nil
}

func newBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	if err := recognize(r); err != nil {
		return nil, err
	}
	b := &Bundle{archive: seekable.NewReader(r, size)}
	if err := b.archive.ReadTable(); err != nil {
		return nil, damaged(err)
	}
	s, err := b.archive.From(0)
	if err != nil {
		return nil, damaged(err)
	}
	b.head, err = parseHead(s)
	s.Close()
	if err != nil {
		return nil, damaged(err)
	}
	if b.contents, err = b.head.contents(); err != nil {
		return nil, first(err)
	}
	end := b.arrange()
	if end/seekable.MaxRatio > size+1<<20 {
		return nil, fmt.Errorf("not a bundle of Slipway: its %d bytes are said to hold %d", size, end)
	}
	if b.archive.HasTable() {
		if got := int64(b.archive.Size()); got != end {
			return nil, fmt.Errorf("the bundle is damaged: its archive has %d bytes, its images take %d: %s tells what is wrong", got, end, howto.Run("airgap verify"))
		}
		return b, nil
	}
	b.contents.Note = noTable
	return b, b.scan(end)
}

// first is the first of joined errors.
func first(err error) error {
	all := split(err)
	if len(all) < 2 {
		return err
	}
	return fmt.Errorf("%w, and %d problems more: %s tells all", all[0], len(all)-1, howto.Run("airgap verify"))
}

const noTable = "no seek table, so that every blob is read from the start: somebody compressed the bundle again; the original is faster"

// arrange finds where each layer begins, which follows from the head, and returns where the
// archive ends.
func (b *Bundle) arrange() int64 {
	b.places = map[v1.Hash]place{}
	off := b.head.size
	for _, l := range b.head.layers {
		b.places[l.Digest] = place{off, l.Size}
		off += entrySize(l.Size)
	}
	return off + 2*tarBlock
}

// scan reads an archive without seek table to its end, which has to be where the head says. More
// is not read: a few bytes of zstd may stand for very many.
func (b *Bundle) scan(end int64) error {
	s, err := b.archive.From(0)
	if err != nil {
		return damaged(err)
	}
	defer s.Close()
	switch n, err := io.Copy(io.Discard, io.LimitReader(s, end+1)); {
	case err != nil:
		return damaged(err)
	case n < end:
		return damaged(io.ErrUnexpectedEOF)
	case n > end:
		return fmt.Errorf("the bundle is damaged: its archive has more than the %d bytes that its images take: %s tells what is wrong", end, howto.Run("airgap verify"))
	}
	return nil
}

// Contents says what is in the bundle.
func (b *Bundle) Contents() *Contents { return b.contents }

// Raw returns the bytes of an index, a manifest or a configuration.
func (b *Bundle) Raw(h v1.Hash) ([]byte, error) {
	raw, ok := b.head.blobs[h]
	if !ok {
		return nil, fmt.Errorf("%s is no index, manifest or configuration of the bundle", h)
	}
	return raw, nil
}

// Blob gives any blob, and its size in bytes. What lies before a layer is not decompressed. The
// bytes are good only when the reader has come to its end without an error: the last Read reports
// a digest that does not fit.
func (b *Bundle) Blob(h v1.Hash) (io.ReadCloser, int64, error) {
	if raw, ok := b.head.blobs[h]; ok {
		return io.NopCloser(bytes.NewReader(raw)), int64(len(raw)), nil
	}
	p, ok := b.places[h]
	if !ok {
		return nil, 0, fmt.Errorf("%s is not in the bundle", h)
	}
	s, err := b.archive.From(p.off)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", h, damaged(err))
	}
	tr := tar.NewReader(s)
	hdr, err := tr.Next()
	if err == nil && (hdr.Name != blobName(h) || hdr.Typeflag != tar.TypeReg || hdr.Size != p.size) {
		err = fmt.Errorf("the bundle is damaged: %.100q of %d bytes stands where %s of %d bytes is expected", hdr.Name, hdr.Size, h, p.size)
	}
	if err != nil {
		s.Close()
		return nil, 0, fmt.Errorf("reading %s: %w", h, damaged(err))
	}
	return &checked{r: tr, Closer: s, want: h, hash: sha256.New()}, p.size, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.closer.Close() }

// checked holds what is read against its digest.
type checked struct {
	r io.Reader
	io.Closer
	want v1.Hash
	hash hash.Hash
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.hash.Write(p[:n])
	if errors.Is(err, io.EOF) {
		if got := hex.EncodeToString(c.hash.Sum(nil)); got != c.want.Hex {
			return n, fmt.Errorf("the bundle is damaged: the bytes of blob %s have the digest sha256:%s", c.want, got)
		}
	} else if err != nil {
		err = fmt.Errorf("reading %s: %w", c.want, damaged(err))
	}
	return n, err
}
