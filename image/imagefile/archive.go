package imagefile

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// packed has the files of a tar archive, which are read where they are.
type packed struct {
	at       io.ReaderAt
	members  map[string]member
	file     *os.File   // the archive
	unpacked *disk.File // nil if the archive is not compressed
}

// openArchive opens an archive and lists its members. Only docker save makes links.
func openArchive(ctx context.Context, path string, st *store.Store, links bool) (_ files, err error) {
	p := &packed{}
	defer func() {
		if err != nil {
			p.close() //nolint:errcheck // nothing was written that anyone has
		}
	}()
	p.file, err = regular.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrAbsent
	case err != nil:
		return nil, fmt.Errorf("%w: %s: and %s: name archives, and %s: a directory",
			bare(err), OCIArchive, DockerArchive, OCI)
	}
	fi, err := p.file.Stat()
	if err != nil {
		return nil, bare(err)
	}
	head := make([]byte, archive.HeadSize)
	n, err := p.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, bare(err)
	}
	size := fi.Size()
	p.at = p.file
	if archive.Compression(head[:n]) != "" {
		if size, err = p.unpack(ctx, st, size); err != nil {
			return nil, err
		}
	}
	if p.members, err = list(ctx, p.at, size, links); err != nil {
		return nil, err
	}
	return p, nil
}

// unpack decompresses an archive of some bytes, and returns how many that are.
func (p *packed) unpack(ctx context.Context, st *store.Store, size int64) (int64, error) {
	defer progress.Doing("unpacking " + p.file.Name())()
	plain, err := archive.Decompress(progress.Reader(ctx, p.file, nil))
	if err != nil {
		return 0, fmt.Errorf("unpacking it: %w", archive.Damaged(bare(err)))
	}
	defer plain.Close()
	if p.unpacked, err = disk.Create(st.Temp()); err != nil {
		return 0, fmt.Errorf("unpacking it: %w", err)
	}
	p.at = p.unpacked
	most := max(archive.Unsuspected, size*archive.MaxRatio)
	n, err := io.Copy(p.unpacked, io.LimitReader(plain, most+1))
	switch {
	case ctx.Err() != nil:
		return n, context.Cause(ctx)
	case err != nil:
		return n, fmt.Errorf("unpacking it: %w", archive.Damaged(bare(err)))
	case n > most:
		return n, fmt.Errorf("it unpacks to more than %d MiB, and to more than %d times its size: "+
			"if that is right, unpack it yourself", archive.Unsuspected>>20, archive.MaxRatio)
	}
	return n, nil
}

func (p *packed) open(name string) (io.ReadCloser, int64, error) {
	m, err := p.resolve(name)
	if err != nil {
		return nil, 0, err
	}
	return io.NopCloser(io.NewSectionReader(p.at, m.offset, m.size)), m.size, nil
}

func (p *packed) close() error {
	if p.unpacked != nil {
		p.unpacked.Abort()
	}
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// Bounds of an archive: how many members it may have, how many bytes their names, and how many
// links may lead to a file.
const (
	maxMembers = 1_000_000
	maxNames   = 128 << 20
	maxLinks   = 8
)

// block is the unit of tar, in bytes.
const block = 512

// member is a file of an archive, a directory or a link.
type member struct {
	offset, size int64
	link         string // to another member, or ""
	dir          bool
}

// list reads the headers of an archive of some bytes.
func list(ctx context.Context, at io.ReaderAt, size int64, links bool) (map[string]member, error) {
	all := map[string]member{}
	from := &seeker{ctx, io.NewSectionReader(at, 0, size)}
	t := tar.NewReader(from)
	names, count, end := 0, 0, int64(0)
	for {
		h, err := t.Next()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return all, ended(at, end, size)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errTruncated
		case count == 0 && errors.Is(err, tar.ErrHeader):
			return nil, errors.New("it is not a tar archive: name the file that the builder wrote")
		case err != nil:
			return nil, fmt.Errorf("reading it: %w: copy or build it again", bare(err))
		}
		if count++; count > maxMembers {
			return nil, fmt.Errorf("it has more than %d members: is it the right file?", maxMembers)
		}
		if names += len(h.Name) + len(h.Linkname); names > maxNames {
			return nil, fmt.Errorf("the names of its members have more than %d MiB: is it the right file?",
				maxNames>>20)
		}
		offset, err := from.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		end = offset
		if h.Typeflag == tar.TypeReg {
			end += h.Size
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if err := add(all, h, offset, links); err != nil {
			return nil, err
		}
	}
}

var errTruncated = errors.New("it is truncated: copy or build it again")

// ended returns an error for an archive without the blocks of zeros behind its last member, which
// ends at some byte.
func ended(at io.ReaderAt, end, size int64) error {
	end = (end + block - 1) / block * block
	zeros := make([]byte, block)
	if n, err := at.ReadAt(zeros, end); n < block || end+block > size {
		if err != nil && !errors.Is(err, io.EOF) {
			return bare(err)
		}
		return errTruncated
	}
	return nil // of other bytes, the reader of tar would have made a header
}

func add(all map[string]member, h *tar.Header, offset int64, links bool) error {
	name, err := clean(h.Name)
	if err != nil {
		return err
	}
	m := member{offset: offset, size: h.Size}
	switch h.Typeflag {
	case tar.TypeReg:
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return fmt.Errorf("%.200q is a sparse file: write the archive without those", name)
			}
		}
	case tar.TypeDir:
		m = member{dir: true}
	case tar.TypeSymlink, tar.TypeLink:
		if !links {
			return fmt.Errorf("%.200q is a link, which archives of OCI layouts do not have: write the archive anew",
				name)
		}
		if m, err = linked(name, h); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%.200q is not a file, a directory or a link, but of type %q: write the archive anew",
			name, h.Typeflag)
	}
	if other, twice := all[name]; twice && (!m.dir || !other.dir) {
		return fmt.Errorf("%.200q is there twice: write the archive anew", name)
	}
	all[name] = m
	return nil
}

// misnamed returns an error if an archive has a file under another form of its name.
func misnamed(from files, name string) error {
	if p, ok := from.(*packed); ok {
		return archive.Misnamed(maps.Keys(p.members), name)
	}
	return nil
}

// linked returns a link. A symbolic one is relative to its directory, a hard one to the archive.
func linked(name string, h *tar.Header) (member, error) {
	to := h.Linkname
	if h.Typeflag == tar.TypeSymlink && !path.IsAbs(to) && to != "" {
		to = path.Join(path.Dir(name), to)
	}
	to, err := clean(to)
	if err != nil {
		return member{}, fmt.Errorf("%.200q is a link to %.200q, which leads out of the archive: make it anew",
			name, h.Linkname)
	}
	return member{link: to}, nil
}

// resolve returns the file of a name, and follows links to it.
func (p *packed) resolve(name string) (member, error) {
	for at, n := name, 0; ; n++ {
		m, ok := p.members[at]
		switch {
		case !ok && at != name:
			return member{}, fmt.Errorf("%.200q is a link to %.200q, which is not there: make the archive anew",
				name, at)
		case !ok:
			return member{}, fmt.Errorf("%.200q: %w", name, fs.ErrNotExist)
		case m.dir:
			return member{}, fmt.Errorf("%.200q is a directory", at)
		case m.link == "":
			return m, nil
		case n == maxLinks:
			return member{}, fmt.Errorf("%.200q is a link to links, more than %d or in a circle: make the archive anew",
				name, maxLinks)
		}
		at = m.link
	}
}

// seeker lets the reader of tar pass over contents.
type seeker struct {
	ctx context.Context //nolint:containedctx // of one call
	*io.SectionReader
}

func (s *seeker) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.SectionReader.Read(p)
}
