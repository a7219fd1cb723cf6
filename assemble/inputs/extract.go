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
	"slices"
	"strings"
	"unicode"

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

// namesGit reports whether a part of a path is .git on some file system: in any case, as Windows
// shortens it, with what Windows drops from the end of a name or takes for a stream, with the
// characters that macOS does not look at.
func namesGit(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }),
		func(part string) bool {
			part, _, _ = strings.Cut(part, ":")
			part = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Cf, r) {
					return -1
				}
				return unicode.ToLower(r)
			}, part)
			part = strings.TrimRight(part, ". ")
			return part == ".git" || part == "git~1"
		})
}

// Bounds on an archive. A source text becomes a third or a tenth by gzip: an archive that unpacks
// to more than unsuspected bytes and maxRatio times its size is made to fill a disk.
const (
	maxBytes    = 16 << 30
	maxEntries  = 1 << 20
	unsuspected = 256 << 20
	maxRatio    = 100
)

var errTooLarge = fmt.Errorf("the inputs have more than %d GiB, which others could not build again: "+
	"name files that are not needed in .dockerignore", maxBytes>>30)

// compressed counts the bytes that are read of an archive.
type compressed struct {
	r io.Reader
	n int64
}

func (c *compressed) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded is the tar of an archive.
type bounded struct {
	r    io.Reader
	from *compressed
	n    int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	switch {
	case b.n > maxBytes:
		return n, fmt.Errorf("it unpacks to more than %d GiB", maxBytes>>30)
	case b.n > unsuspected && b.n/maxRatio > b.from.n:
		return n, errors.New("it unpacks to more than 100 times its size, as no source text does")
	}
	return n, err
}
