package inputs

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Compression says how archives are compressed: equal tars become equal archives while it is the
// same.
var Compression = fmt.Sprintf("gzip, image/deflate %d", deflate.Format)

// Write writes the archive, and its tar, before it is compressed, to plain. The returned writer
// knows the archive's blocks, of which some may be known.
func (s *Set) Write(ctx context.Context, w, plain io.Writer, known *deflate.Known) (*deflate.Writer, error) {
	zipped := deflate.NewGzip(w, known)
	err := s.writeTar(ctx, io.MultiWriter(zipped, plain), zipped.Writer)
	return zipped.Writer, errors.Join(err, zipped.Close())
}

// WriteTar writes the archive without compressing it.
func (s *Set) WriteTar(ctx context.Context, w io.Writer) error { return s.writeTar(ctx, w, nil) }

// writeTar cuts blocks at large files, so that these stay the same where a file before them gets
// another size. blocks may be nil.
func (s *Set) writeTar(ctx context.Context, w io.Writer, blocks *deflate.Writer) error {
	if err := s.fits(); err != nil {
		return fmt.Errorf("archiving inputs: %w", err)
	}
	archive := tar.NewWriter(w)
	for _, name := range s.names() {
		e := s.entries[name]
		blocks.CutFile(e.size)
		if err := e.write(ctx, archive, name); err != nil {
			return fmt.Errorf("archiving inputs: %s: %w", name, err)
		}
		blocks.CutFile(e.size)
	}
	return archive.Close()
}

// fits reports inputs that [Extract] would refuse, before anything is written.
func (s *Set) fits() error {
	if len(s.entries) > maxEntries {
		return fmt.Errorf("there are more than %d files: name those that are not needed in .dockerignore", maxEntries)
	}
	var size int64
	for _, e := range s.entries {
		if size += min(e.size, maxBytes) + 2048; size > maxBytes { // a tar has up to two KiB more for each
			return errTooLarge
		}
	}
	return nil
}

func (e entry) write(ctx context.Context, archive *tar.Writer, name string) error {
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: int64(e.mode.Perm()), ModTime: time.Unix(0, 0),
		Format: tar.FormatPAX,
	}
	for bit, mode := range layer.SpecialBits {
		if e.mode&mode != 0 {
			h.Mode |= bit
		}
	}
	switch e.mode.Type() {
	case fs.ModeDir:
		h.Typeflag, h.Name = tar.TypeDir, name+"/"
		return archive.WriteHeader(h)
	case fs.ModeSymlink:
		h.Typeflag, h.Linkname = tar.TypeSymlink, e.link
		return archive.WriteHeader(h)
	}
	h.Size = e.size
	if err := archive.WriteHeader(h); err != nil {
		return err
	}
	f, err := e.open()
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(archive, progress.Reader(ctx, f, nil))
	if err == nil && n != e.size || errors.Is(err, tar.ErrWriteTooLong) {
		err = errors.New("it changed while it was read: run again")
	}
	return err
}
