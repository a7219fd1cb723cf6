package imagefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
