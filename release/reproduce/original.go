package reproduce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Original is the release as it was received: bundles and files.
type Original struct {
	Bundles []*bundle.Bundle // of the release that are here

	dir string             // of the files; "" for none
	raw map[v1.Hash][]byte // of manifests and indexes
}

// Open opens a release: a directory with its files, or one of its bundles.
func Open(path string) (*Original, error) {
	o := &Original{raw: map[v1.Hash][]byte{}}
	paths := []string{path}
	if fi, err := os.Stat(path); err != nil {
		return nil, err
	} else if fi.IsDir() {
		o.dir = path
		files, err := os.ReadDir(path) // not a pattern: the directory may have [ in its name
		if err != nil {
			return nil, err
		}
		paths = nil
		for _, f := range files {
			if strings.HasSuffix(f.Name(), distfile.BundleSuffix) {
				paths = append(paths, filepath.Join(path, f.Name()))
			}
		}
	}
	var err error
	if o.Bundles, _, err = bundle.OpenAll(paths); err != nil {
		return nil, err
	}
	for _, b := range o.Bundles {
		for _, i := range b.Contents().Images {
			for t := range i.Tree.All() {
				if t.Raw != nil {
					o.raw[t.Desc.Digest] = t.Raw
				}
			}
		}
	}
	return o, nil
}

// Close closes the bundles.
func (o *Original) Close() error {
	var errs []error
	for _, b := range o.Bundles {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// errAbsent is the error for a blob or file that the received release lacks.
var errAbsent = errors.New("it is not here to be compared")

// open opens a document or blob of an image, or the archive of a chart. The error for a missing one
// wraps [oci.ErrAbsent].
func (o *Original) open(h v1.Hash) (io.ReadCloser, error) {
	if raw, ok := o.raw[h]; ok {
		return io.NopCloser(bytes.NewReader(raw)), nil
	}
	return bundle.OpenBlob(h, o.Bundles...)
}

// blob is open for comparisons.
func (o *Original) blob(h v1.Hash) (io.ReadCloser, error) {
	r, err := o.open(h)
	if errors.Is(err, oci.ErrAbsent) {
		return nil, errAbsent
	}
	return r, err
}

// file opens a file of the release.
func (o *Original) file(name string) (io.ReadCloser, error) {
	if o.dir == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, errAbsent
	}
	f, err := regular.Open(filepath.Join(o.dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAbsent
	}
	return f, err
}

// readAll reads a small document.
func readAll(open opener) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	return text, err
}

// maxFile bounds the files that are compared in memory.
const maxFile = 1 << 30
