package inputs

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

	"github.com/slipway-dev/slipway/image/layer"
)

// Extract unpacks an archive into dir, which exists. Nothing is written outside of dir, and modes
// do not depend on the umask.
func Extract(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	from := &compressed{r: r}
	zipped, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("unpacking inputs: %w: it is not the archive of a release", err)
	}
	archive := tar.NewReader(&bounded{r: zipped, from: from})
	var directories []*tar.Header
	for n := 0; ; n++ {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && h.Size > maxBytes {
			err = fmt.Errorf("%q has more than %d GiB", h.Name, maxBytes>>30)
		}
		if err == nil && n == maxEntries {
			err = fmt.Errorf("it has more than %d entries", maxEntries)
		}
		if err == nil {
			err = extract(root, h, archive)
		}
		if err != nil {
			return fmt.Errorf("unpacking inputs: %w", err)
		}
		if h.Typeflag == tar.TypeDir {
			directories = append(directories, h)
		}
	}
	for _, h := range directories { // last: one may not be writable
		if err := root.Chmod(filepath.FromSlash(path.Clean(h.Name)), mode(h)); err != nil {
			return fmt.Errorf("unpacking inputs: %w", err)
		}
	}
	return nil
}

func extract(root *os.Root, h *tar.Header, content io.Reader) error {
	name := filepath.FromSlash(path.Clean(h.Name))
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%q leads out of the archive", h.Name)
	}
	if namesGit(h.Name) || h.Typeflag == tar.TypeSymlink && namesGit(h.Linkname) {
		return fmt.Errorf("%q is, or leads to, a git repository, which inputs never have: ask the maintainer", h.Name)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%q is neither a file nor a directory", h.Name)
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a checkout below it
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Chmod(name, mode(h))
}

// mode returns the mode of an entry.
func mode(h *tar.Header) fs.FileMode {
	m := fs.FileMode(h.Mode) & fs.ModePerm
	for bit, b := range layer.SpecialBits {
		if h.Mode&bit != 0 {
			m |= b
		}
	}
	return m
}
