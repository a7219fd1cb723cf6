package imagefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
)

// files are those of a directory or an archive, by clean names with slashes.
type files interface {
	// open opens a regular file, and returns its size in bytes. The error of one that is not there
	// is [fs.ErrNotExist].
	open(name string) (io.ReadCloser, int64, error)
	close() error
}

// directory has the files of a directory. No link leads out of it.
type directory struct{ root *regular.Root }

func openDirectory(path string) (files, error) {
	root, err := regular.OpenRoot(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrAbsent
	case err != nil:
		return nil, fmt.Errorf("%w: %s: names a directory, and %s: an archive", bare(err), OCI, OCIArchive)
	}
	return directory{root}, nil
}

func (d directory) open(name string) (io.ReadCloser, int64, error) {
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		if strings.Contains(err.Error(), "escapes from parent") { // the error of os.Root has no name
			err = errors.New("it is, or is in, a link that leads out of the directory: " +
				"copy the files themselves, as cp -rL does")
		}
		return nil, 0, fmt.Errorf("%q: %w", name, bare(err))
	}
	fi, err := f.Stat()
	if err == nil && fi.IsDir() {
		err = errors.New("it is a directory")
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("%q: %w", name, bare(err))
	}
	return f, fi.Size(), nil
}

func (d directory) close() error { return d.root.Close() }

// bare returns the reason of an error of a file that a caller names without the path. The path of
// one that is written says which disk is full.
func bare(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) && p.Op != "write" {
		return p.Err
	}
	return err
}

// clean returns the name of a file in an archive or a list. One that is absolute or leads out is
// an error.
func clean(name string) (string, error) {
	c := path.Clean(name)
	switch {
	case name == "", path.IsAbs(c), c == "..", strings.HasPrefix(c, "../"):
		return "", fmt.Errorf("%.200q is not a name inside the archive: make it anew", name)
	}
	return c, nil
}

// blobName is where a layout has a blob.
func blobName(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }

// read returns a file of at most limit bytes.
func read(from files, name string, limit int64) ([]byte, error) {
	r, size, err := from.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if size > limit {
		return nil, fmt.Errorf("%q has %d bytes: it may have at most %d", name, size, limit)
	}
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q: %w", name, bare(err))
	case int64(len(raw)) != size:
		return nil, fmt.Errorf("%q has %d bytes, and had %d before: it changed while it was read", name, len(raw), size)
	}
	return raw, nil
}

// checkDigest returns an error for a descriptor whose digest the store cannot have.
func checkDigest(what string, d v1.Descriptor) error {
	if d.Digest.Algorithm != "sha256" || len(d.Digest.Hex) != 64 {
		return fmt.Errorf("%s has the digest %q, which is not of sha256: build the image with that", what, d.Digest)
	}
	return nil
}

// document returns a document, and compares it with its descriptor.
func document(from files, what string, d v1.Descriptor, limit int64) ([]byte, error) {
	if err := checkDigest(what, d); err != nil {
		return nil, err
	}
	if d.Size > limit {
		return nil, oci.TooLarge(what, d, limit)
	}
	raw, err := read(from, blobName(d.Digest), limit)
	if err != nil {
		return nil, err
	}
	if d.Size != 0 && d.Size != int64(len(raw)) {
		return nil, fmt.Errorf("%s %s has %d bytes, and is listed with %d: build the image anew",
			what, d.Digest, len(raw), d.Size)
	}
	h, _, err := v1.SHA256(bytes.NewReader(raw))
	if err == nil && h != d.Digest {
		err = fmt.Errorf("%s %s is damaged: its bytes have the digest %s: build the image anew", what, d.Digest, h)
	}
	return raw, err
}
