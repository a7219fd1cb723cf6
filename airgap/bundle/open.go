package bundle

import (
	"fmt"
	"io"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/gzipped"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Bundle is a bundle that is open for reading. Several goroutines may use it.
type Bundle struct {
	archive  *seekable.Reader
	path     string
	gzip     bool // so that archive gives raw bytes only
	closer   io.Closer
	head     *head
	contents *Contents
	layers   map[v1.Hash]extent
}

// extent is where the entry of a layer begins in the decompressed archive, and the layer's size.
type extent struct{ off, size int64 }

// Open opens a bundle: it reads the head and the seek table, and no layer, and checks digests,
// sizes, names, that every manifest is for the platform its index gives, that the layers fill
// the archive, and that all before them is in the only form of it. Any file may be given to it:
// memory and time are bounded. A file that is not a bundle is a [FormatError], a damaged one a
// [DamageError]; one of a newer format is an error, too.
//
// A bundle that was recompressed has no seek table: the file is read to its end once, and again
// for every blob; its contents have a note.
//
// A delta is refused, with what to do instead: whoever opens a bundle needs all layers.
func Open(path string) (*Bundle, error) {
	b, err := OpenAny(path)
	if err == nil && b.contents.Delta != nil {
		b.Close()
		return nil, b.contents.Delta.Refusal(path)
	}
	return b, err
}

// OpenAny opens a bundle as [Open] does, or a delta.
func OpenAny(path string) (*Bundle, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	b, err := newBundle(f, size)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b.path, b.closer = path, f
	return b, nil
}

// openFile opens a regular file and returns its size. Others are an error: a pipe could block for
// ever.
func openFile(path string) (*os.File, int64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("opening bundle: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: %w", path,
			invalid("it is %s: name the file of a bundle", regular.Kind(fi.Mode())))
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("opening bundle: %w", err)
	}
	return f, fi.Size(), nil
}

func newBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	gz, err := recognize(r)
	if err != nil {
		return nil, err
	}
	b := &Bundle{archive: seekable.NewReader(r, size), gzip: gz}
	if err := b.readTable(); err != nil {
		return nil, readError(err)
	}
	if err := b.readHead(); err != nil {
		return nil, readError(err)
	}
	if b.contents, err = b.head.contents(); err != nil {
		return nil, first(err)
	}
	if err := b.checkForm(); err != nil {
		return nil, err
	}
	end := b.arrange()
	switch {
	case b.gzip: // its end is a matter of Verify: whoever inspects it reads the head only
		b.contents.Note = noSeek
	case end/seekable.MaxRatio > size+1<<20:
		return nil, invalid("its %d bytes announce %d", size, end)
	case !b.archive.HasTable():
		b.contents.Note = noTable
		return b, readError(b.scan(end))
	case int64(b.archive.Size()) != end:
		return nil, damage("its archive has %d bytes, its images take %d: %s lists all problems",
			b.archive.Size(), end, verifyCommand())
	}
	return b, nil
}

const noTable = "no seek table, so that every blob is read from the start: " +
	"the bundle was compressed again; the original is faster"

func verifyCommand() string { return howto.Run("verify") }

// readHead reads the head. With an error it has what precedes the error.
func (b *Bundle) readHead() error {
	b.head = &head{}
	s, err := b.from(0)
	if err != nil {
		return err
	}
	defer s.Close()
	b.head, err = parseHead(s)
	return err
}

// arrange computes where each layer begins, which follows from the head, and returns where the
// archive ends.
func (b *Bundle) arrange() int64 {
	b.layers = map[v1.Hash]extent{}
	off := b.head.size
	for _, l := range b.head.layers {
		b.layers[l.Digest] = extent{off, l.Size}
		off += entrySize(l.Size)
	}
	return off + 2*tarBlock
}

// scan reads an archive without seek table to its end, and compares that with the end that
// follows from the head. Nothing further is read: a few bytes of zstd may decompress to very
// many.
func (b *Bundle) scan(end int64) error {
	s, err := b.from(0)
	if err != nil {
		return err
	}
	defer s.Close()
	switch n, err := io.Copy(io.Discard, io.LimitReader(s, end+1)); {
	case err != nil:
		return err
	case n < end:
		return io.ErrUnexpectedEOF
	case n > end:
		return damage("its archive has more than the %d bytes that its images take: %s lists all problems",
			end, verifyCommand())
	}
	return nil
}

// Contents returns the contents of the bundle.
func (b *Bundle) Contents() *Contents { return b.contents }

// Close closes the file.
func (b *Bundle) Close() error { return b.closer.Close() }

const noSeek = "gzip is read from its start for every blob: the .tar.zst is faster"

// readTable reads the seek table, which a gzip file lacks.
func (b *Bundle) readTable() error {
	if b.gzip {
		return nil
	}
	return b.archive.ReadTable()
}

// from reads the decompressed archive from off to its end.
func (b *Bundle) from(off int64) (io.ReadCloser, error) {
	if !b.gzip {
		return b.archive.From(off)
	}
	z, err := gzipped.NewReader(b.archive.Raw())
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, z, off); err != nil {
		return nil, err
	}
	return io.NopCloser(z), nil
}

// CheckSeekable returns an error for a gzip file: reading it from its start for every blob is too
// slow for whoever reads them all.
func (b *Bundle) CheckSeekable() error {
	if !b.gzip {
		return nil
	}
	name, ok := strings.CutSuffix(b.path, distfile.GzipSuffix)
	other := name + distfile.BundleSuffix
	if !ok {
		other = "the " + distfile.BundleSuffix
	}
	return fmt.Errorf("%s is compressed by gzip and would be read from its start for every blob: "+
		"use %s of the same release, which is the same archive", b.path, other)
}

// OpenAll opens bundles and deltas. The caller calls the function that is returned.
func OpenAll(paths []string) (all []*Bundle, closeAll func(), err error) {
	closeAll = func() {
		for _, b := range all {
			b.Close()
		}
	}
	for _, path := range paths {
		b, err := OpenAny(path)
		if err != nil {
			closeAll()
			return nil, func() {}, err
		}
		all = append(all, b)
	}
	return all, closeAll, nil
}
