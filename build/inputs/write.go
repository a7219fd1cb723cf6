package inputs

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Compression says how archives are compressed: equal tars become equal archives while it is the
// same.
const Compression = "gzip, default, klauspost/compress"

// Write writes the archive, and its tar, before it is compressed, to plain.
func (s *Set) Write(ctx context.Context, w, plain io.Writer) error {
	zipped := gzip.NewWriter(w)
	zipped.Header = gzip.Header{OS: 255}
	return errors.Join(s.WriteTar(ctx, io.MultiWriter(zipped, plain)), zipped.Close())
}

// WriteTar writes the archive without compressing it.
func (s *Set) WriteTar(ctx context.Context, w io.Writer) error {
	if err := s.fits(); err != nil {
		return fmt.Errorf("archiving inputs: %w", err)
	}
	archive := tar.NewWriter(w)
	for _, name := range s.names() {
		if err := s.entries[name].write(ctx, archive, name); err != nil {
			return fmt.Errorf("archiving inputs: %s: %w", name, err)
		}
	}
	return archive.Close()
}

// fits reports inputs that [Extract] would refuse, before anything is written.
func (s *Set) fits() error {
	if len(s.entries) > maxEntries {
		return fmt.Errorf("there are more than %d files: leave out what is not needed, by .dockerignore", maxEntries)
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
