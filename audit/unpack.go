package audit

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/plainjson"
)

// maxDocuments bounds the documents of an archive that are kept, in bytes, maxFiles its files, and
// maxLinks how many links lead to one.
const (
	maxDocuments = 256 << 20
	maxFiles     = 1 << 20
	maxLinks     = 8
)

// files are the files of an archive or a directory.
type files interface {
	// read returns a small file; the error of one that is not there is [fs.ErrNotExist].
	read(name string) ([]byte, error)
	// stat describes a file, by all of its bytes.
	stat(name string) (packedFile, error)
	has(name string) bool
	// below lists the files of a directory and their sizes in bytes.
	below(dir string) map[string]int64
	// open opens a file of any size.
	open(name string) (io.ReadCloser, error)
}

// packed are the files of an archive: what each is, and the contents of those that may be
// documents.
type packed struct {
	files    map[string]packedFile
	links    map[string]string
	contents map[string][]byte
	at       io.ReaderAt // the archive, decompressed; nil where layers are not read
	// ambiguous are lines on what another reader takes for something else.
	ambiguous []string
}

// packedFile is a file without its content.
type packedFile struct {
	size       int64
	offset     int64   // in the archive, decompressed
	sum        v1.Hash // of its bytes
	compressed bool    // by gzip or zstd
}

// resolve follows links.
func (p packed) resolve(name string) string {
	for range maxLinks {
		to, ok := p.links[name]
		if !ok {
			break
		}
		name = to
	}
	return name
}

func (p packed) has(name string) bool {
	_, ok := p.files[p.resolve(name)]
	return ok
}

func (p packed) open(name string) (io.ReadCloser, error) {
	f, ok := p.files[p.resolve(name)]
	if !ok || p.at == nil {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(io.NewSectionReader(p.at, f.offset, f.size)), nil
}

func (p packed) stat(name string) (packedFile, error) {
	if f, ok := p.files[p.resolve(name)]; ok {
		return f, nil
	}
	return packedFile{}, fs.ErrNotExist
}

func (p packed) read(name string) ([]byte, error) {
	name = p.resolve(name)
	if b, ok := p.contents[name]; ok {
		return b, nil
	}
	if f, ok := p.files[name]; ok {
		return nil, fmt.Errorf("%s has %d bytes, which no document has", name, f.size)
	}
	return nil, fs.ErrNotExist
}

func (p packed) below(dir string) map[string]int64 {
	all := map[string]int64{}
	for name, f := range p.files {
		if strings.HasPrefix(name, dir+"/") {
			all[name] = f.size
		}
	}
	return all
}

// unpack reads an archive of some bytes to its end, once. Only what may be a document of an image
// is kept.
func unpack(r io.Reader, size int64) (packed, error) {
	p := packed{files: map[string]packedFile{}, links: map[string]string{}, contents: map[string][]byte{}}
	b := &bounded{r: r, most: max(archive.Unsuspected, size*archive.MaxRatio)}
	kept := int64(0)
	for t := tar.NewReader(b); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			p.belowLinks()
			return p, p.end(b)
		}
		if err != nil {
			return p, err
		}
		if len(p.files)+len(p.links) == maxFiles {
			return p, fmt.Errorf("it has more than %d files", maxFiles)
		}
		name := clean(h.Name)
		if h.Typeflag != tar.TypeDir && name != path.Clean(h.Name) {
			p.doubt("%.200q leads out of the archive, where some readers take it for %.200q", h.Name, name)
		}
		before, file := p.files[name]
		to, link := p.links[name]
		switch h.Typeflag {
		case tar.TypeSymlink:
			if at := path.Join(path.Dir(name), h.Linkname); path.IsAbs(h.Linkname) || !filepath.IsLocal(at) {
				p.doubt("%.200q is a link that leads out of the archive, to %.200q", name, h.Linkname)
			}
			p.links[name] = clean(path.Join(path.Dir(name), h.Linkname))
		case tar.TypeLink:
			p.links[name] = clean(h.Linkname)
		case tar.TypeReg:
			if err := p.add(name, b.n, h.Size, t, &kept); err != nil {
				return p, fmt.Errorf("in %.200q: %w", name, archive.Damaged(err))
			}
		}
		if file && (before.sum != p.files[name].sum || h.Typeflag != tar.TypeReg) || link && to != p.links[name] ||
			link && h.Typeflag == tar.TypeReg {
			p.doubt("%.200q is there twice, and is not the same", name)
		}
	}
}

// belowLinks doubts links in whose place other entries need a directory: some readers write through
// the link.
func (p *packed) belowLinks() {
	for _, link := range slices.Sorted(maps.Keys(p.links)) {
		for name := range p.files {
			if strings.HasPrefix(name, link+"/") {
				p.doubt("%.200q is a link, and there are files below it", link)
				break
			}
		}
	}
}

// doubt adds a line on what another reader takes for something else.
func (p *packed) doubt(format string, args ...any) {
	p.ambiguous = append(p.ambiguous, fmt.Sprintf(format, args...))
}

// end reads what follows the end of an archive, which is nothing but zeros: some readers go on.
func (p *packed) end(r io.Reader) error {
	for part := make([]byte, 32<<10); ; {
		n, err := r.Read(part)
		if slices.ContainsFunc(part[:n], func(c byte) bool { return c != 0 }) {
			p.doubt("something follows the end of the archive")
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// clean returns a name without ./ at its begin, and without a way out.
func clean(name string) string { return path.Clean("/" + name)[1:] }

// add reads a file, whose content begins at offset.
func (p packed) add(name string, offset, size int64, r io.Reader, kept *int64) error {
	f, document, err := digest(r, size)
	if err != nil {
		return err
	}
	f.offset = offset
	p.files[name] = f
	if document != nil {
		if *kept += size; *kept > maxDocuments {
			return fmt.Errorf("its documents have more than %d MiB", maxDocuments>>20)
		}
		p.contents[name] = document
	}
	return nil
}

// digest reads a file, and returns its content if it may be a document.
func digest(r io.Reader, size int64) (f packedFile, document []byte, err error) {
	sum := sha256.New()
	head := make([]byte, 4)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return f, nil, err
	}
	head = head[:n]
	sum.Write(head)
	keep := size <= oci.MaxConfig && n > 0 && (head[0] == '{' || head[0] == '[' || plainjson.Marked(head))
	var all bytes.Buffer
	var to io.Writer = sum
	if keep {
		all.Write(head)
		to = io.MultiWriter(sum, &all)
	}
	rest, err := io.Copy(to, r)
	compressed := slices.ContainsFunc(magic, func(m []byte) bool { return bytes.HasPrefix(head, m) })
	f = packedFile{size: int64(n) + rest, sum: oci.Sum(sum), compressed: compressed}
	if keep {
		document = all.Bytes()
	}
	return f, document, err
}

// magic begins what gzip and zstd write.
var magic = [][]byte{{0x1f, 0x8b}, {0x28, 0xb5, 0x2f, 0xfd}}

// bounded is a reader of an unpacked archive, at most so many bytes. Without Seek, the tar reader
// reads the parts that it skips.
type bounded struct {
	r       io.Reader
	n, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += int64(n); b.n > b.most {
		return n, fmt.Errorf("it unpacks to more than %d times its size: unpack it yourself, and name the directory",
			archive.MaxRatio)
	}
	return n, err
}
