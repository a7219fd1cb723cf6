package tree

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
)

// ReadZip reads the directory of a zip archive; wrong is what an error begins with if it is none.
func ReadZip(r io.Reader, size int64, wrong string) (*zip.Reader, error) {
	at, ok := r.(io.ReaderAt)
	if !ok {
		return nil, errors.New("a zip archive is read from files only")
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		err = fmt.Errorf("%s: %w", wrong, err)
	}
	return z, err
}

func isZip(c layer.Content) (bool, error) {
	r, err := c.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	_, err = ReadZip(r, c.Size, "")
	if errors.As(err, new(*fs.PathError)) { // of the disk
		return false, err
	}
	return err == nil, nil
}

// zipAsTar gives the files of a zip archive as a tar, whose reader then finds them one by one.
func zipAsTar(c layer.Content, b *Budget) (io.ReadCloser, error) {
	r, err := c.Open()
	if err != nil {
		return nil, err
	}
	z, err := ReadZip(r, c.Size, "reading archive")
	if err != nil {
		r.Close()
		return nil, err
	}
	var size uint64
	for _, f := range z.File {
		err := b.announced(f.UncompressedSize64, c.Size)
		if err == nil {
			size += f.UncompressedSize64 // neither is near 2^64
			err = b.announced(size, c.Size)
		}
		if err != nil {
			r.Close()
			return nil, err
		}
	}
	out, in := io.Pipe()
	go func() {
		defer r.Close()
		t := tar.NewWriter(in)
		for _, f := range z.File {
			if err := zipEntry(t, f); err != nil {
				// it always returns nil
				in.CloseWithError(fmt.Errorf("%s in the archive: %w", f.Name, err))
				return
			}
		}
		in.CloseWithError(t.Close())
	}()
	return out, nil
}

// zipEntry copies one file. A zip of Windows records no mode, and may have backslashes in names.
func zipEntry(t *tar.Writer, f *zip.File) error {
	name := strings.ReplaceAll(f.Name, `\`, "/")
	h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: int64(f.Mode().Perm()), Size: int64(f.UncompressedSize64), ModTime: f.Modified} //nolint:gosec // a size beyond 2^63 fails in WriteHeader
	switch {
	case strings.HasSuffix(name, "/"):
		h.Typeflag, h.Size = tar.TypeDir, 0
	case f.Mode().Type() != 0:
		return errors.New("it is a link or device, which is not unpacked from zip archives")
	}
	// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.4.2; 0 is FAT
	const windowsHost = 11
	if host := f.CreatorVersion >> 8; host == 0 || host == windowsHost {
		h.Mode = 0o755 // which of its files are programs is not recorded
	}
	if err := t.WriteHeader(h); err != nil || h.Typeflag == tar.TypeDir {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(t, r)
	return err
}
