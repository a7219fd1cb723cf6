package tree

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// Archives unpacks archives and the layers of images, into the work directory of a store.
type Archives struct {
	store   *store.Store
	limits  Limits
	Budget  *Budget // of unpacked archives, and of all files that are made
	Whole   bool    // the contents of images are read, too: their layers are unpacked at once
	Part    string  // a directory for unpacked archives that are not shared; "" shares them
	mu      sync.Mutex
	spooled []string // archives that were unpacked, in the store's work directory
}

// NewArchives returns an Archives whose budget has the given limits.
func NewArchives(st *store.Store, l Limits) *Archives {
	return &Archives{store: st, limits: l, Budget: newBudget(l)}
}

// Tar returns how to read content as a tar; nil if it is not an archive. A zip is one where zipped
// is set.
func (a *Archives) Tar(ctx context.Context, c layer.Content, zipped bool) (func() (io.ReadCloser, error), error) {
	ok, err := isArchive(c)
	if ok {
		return func() (io.ReadCloser, error) { return decompressed(c.Open) }, nil
	}
	if err == nil && zipped {
		ok, err = isZip(c)
	}
	if !ok || err != nil {
		return nil, err
	}
	return func() (io.ReadCloser, error) {
		// a zip is not read from its begin to its end, so that its reader sees no damage
		if err := Verify(ctx, c); err != nil {
			return nil, err
		}
		return zipAsTar(c, a.Budget)
	}, nil
}

// Each calls do for every file of an archive that open reads, in its order.
func (a *Archives) Each(
	ctx context.Context, c layer.Content, open func() (io.ReadCloser, error), do func(h *tar.Header, n *Node) error,
) error {
	return a.each(ctx, c, open, func(file store.Kept, e tarEntry, h *tar.Header) error {
		return do(h, e.node(a.store, func() (string, error) { return a.store.PathKept(file), nil }))
	})
}

func (a *Archives) each(
	ctx context.Context, c layer.Content, open func() (io.ReadCloser, error),
	do func(file store.Kept, e tarEntry, h *tar.Header) error,
) error {
	file, err := a.spool(ctx, c.Digest, open)
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		return limit
	}
	if err != nil {
		return cmp.Or(Verify(ctx, c), err)
	}
	f, err := a.store.OpenKept(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return scan(ctx, f, func(e tarEntry, h *tar.Header) error { return do(file, e, h) })
}

// Look lists the files of a layer for [Archives.ReadLayers] while its blob is read for something
// else. ReadLayers reads a damaged layer again, and reports the error.
func (a *Archives) Look(ctx context.Context, blob io.Reader, diffID v1.Hash) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(blob), nil }
	a.index(ctx, open, diffID) //nolint:errcheck // see above
}

// isArchive reports whether a file is a tar, compressed or not, with at least one entry.
func isArchive(c layer.Content) (bool, error) {
	r, err := c.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	from := &failing{Reader: r}
	plain, err := archive.Decompress(from)
	if err != nil {
		return false, from.err // any other file
	}
	_, err = tar.NewReader(plain).Next()
	plain.Close() // which also ends what reads ahead
	if err == nil {
		return true, nil
	}
	return false, from.err
}

// failing is a reader that keeps the error of its source, which does not mean that the file is not
// an archive.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// Verify reads content to its end, where its reader reports damage.
func Verify(ctx context.Context, c layer.Content) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return progress.Drain(ctx, r, nil)
}

type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, one := range c {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// spool keeps a decompressed archive in the store's work directory, so that its files can be read
// in any order.
func (a *Archives) spool(ctx context.Context, digest v1.Hash, open func() (io.ReadCloser, error)) (store.Kept, error) {
	file, err := a.spoolFile(digest)
	if err != nil {
		return store.Kept{}, err
	}
	if k, ok := a.store.Kept(file); ok {
		return k, nil
	}
	r, err := open()
	if err != nil {
		return store.Kept{}, err
	}
	defer r.Close()
	return a.spoolTo(file, progress.Reader(ctx, a.Budget.unpack(r), nil), func(r io.Reader) error {
		if _, err := io.Copy(io.Discard, r); err != nil {
			return fmt.Errorf("unpacking: %w", archive.Damaged(err))
		}
		return nil
	}, v1.Hash{})
}

// spoolFile returns where a decompressed archive is kept.
func (a *Archives) spoolFile(digest v1.Hash) (string, error) {
	dir, err := a.store.Work(path.Join("tar", a.Part))
	return filepath.Join(dir, digest.Hex+".tar"), err
}

// spoolTo keeps what read reads of r, to its end. Its digest has to be want, unless that is empty.
func (a *Archives) spoolTo(file string, r io.Reader, read func(io.Reader) error, want v1.Hash) (store.Kept, error) {
	f, err := disk.Create(a.store.Temp())
	if err != nil {
		return store.Kept{}, err
	}
	defer f.Abort()
	sum := sha256.New()
	c := &counter{r: io.TeeReader(r, io.MultiWriter(f.File, sum))}
	if err := read(c); err != nil {
		return store.Kept{}, err
	}
	digest := oci.Sum(sum)
	if want != (v1.Hash{}) {
		if err := same(digest, want); err != nil {
			return store.Kept{}, err
		}
	}
	a.mu.Lock()
	a.spooled = append(a.spooled, file)
	a.mu.Unlock()
	return a.store.KeepWritten(f, file, digest, c.n)
}

// Scratch has Archives over a directory of its own, for third-party images that do not stay, and
// keeps the contents of layers, so that each is read once.
type Scratch struct {
	*Archives

	dir string
}

// NewScratch makes a Scratch in the system's directory for temporary files. The caller closes it.
func NewScratch() (*Scratch, error) {
	dir, err := disk.Scratch("")
	if err != nil {
		return nil, fmt.Errorf("making a directory for layers: %w", err)
	}
	st, err := store.Open(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	s := &Scratch{Archives: NewArchives(st, Limits{}), dir: dir}
	s.Whole = true
	return s, nil
}

// ScratchIn makes a Scratch in the work directory of a store, whose lists of files are remembered,
// for images that a product names: a layer of theirs may be compressed well.
func ScratchIn(st *store.Store) *Scratch {
	s := &Scratch{Archives: NewArchives(st, Limits{Bytes: maxBytes})}
	s.Whole = true
	return s
}

// File makes a file in the directory.
func (s *Scratch) File() (*disk.File, error) { return disk.Create(s.store.Temp()) }

// Close removes the directory, or the unpacked archives in the store.
func (s *Scratch) Close() error {
	if s.dir == "" {
		s.Drop()
		return nil
	}
	return os.RemoveAll(s.dir)
}
