package audit

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/internal/oci"
)

// maxDocuments bounds the documents of an archive that are kept, in bytes, and maxFiles its files.
const (
	maxDocuments = 256 << 20
	maxFiles     = 1 << 20
)

// packed are the files of an archive: all sizes, and the contents of those that may be documents.
type packed struct {
	sizes    map[string]int64
	contents map[string][]byte
	offsets  map[string]int64 // in the archive, decompressed
	at       io.ReaderAt      // the archive, decompressed; nil where layers are not read
}

func (p packed) open(name string) (io.ReadCloser, error) {
	offset, ok := p.offsets[name]
	if !ok || p.at == nil {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(io.NewSectionReader(p.at, offset, p.sizes[name])), nil
}

func (p packed) has(name string) bool { _, ok := p.sizes[name]; return ok }

func (p packed) read(name string) ([]byte, error) {
	if b, ok := p.contents[name]; ok {
		return b, nil
	}
	if p.has(name) {
		return nil, fmt.Errorf("%s has %d bytes, which no document has", name, p.sizes[name])
	}
	return nil, fs.ErrNotExist
}

// unpack reads an archive to its end, once. Only what may be a document of an image is kept.
func unpack(r io.Reader) (packed, error) {
	p := packed{sizes: map[string]int64{}, contents: map[string][]byte{}, offsets: map[string]int64{}}
	kept, count := int64(0), &counter{r: r}
	for t := tar.NewReader(count); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return p, err
		}
		name := path.Clean("/" + h.Name)[1:]
		if h.Typeflag != tar.TypeReg {
			continue
		}
		p.offsets[name] = count.n
		if p.sizes[name] = h.Size; len(p.sizes) > maxFiles {
			return p, fmt.Errorf("it has more than %d files", maxFiles)
		}
		head := make([]byte, 1)
		if n, err := io.ReadFull(t, head); n == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return p, err
			}
			continue
		}
		if h.Size > oci.MaxConfig || head[0] != '{' && head[0] != '[' {
			continue
		}
		if kept += h.Size; kept > maxDocuments {
			return p, fmt.Errorf("its documents have more than %d MiB", maxDocuments>>20)
		}
		b, err := io.ReadAll(io.MultiReader(bytes.NewReader(head), t))
		if err != nil {
			return p, err
		}
		p.contents[name] = b
	}
}

// counter counts what was read. It cannot seek, so that the tar reader reads what it skips.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
