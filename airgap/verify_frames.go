package airgap

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// section is a run of frames that holds one entry of the archive: each layer begins a frame.
type section struct {
	off, end int64 // in the decompressed archive
	blob     v1.Hash
	err      error // why it cannot be read
}

// frames verifies a bundle with a seek table: the entries are found by their headers, then all
// are read, several at a time.
func (v *verifier) frames(ctx context.Context) error {
	sections, end := v.sections(ctx)
	var g errgroup.Group
	g.SetLimit(seekable.Cores)
	if v.b.head.size > 0 {
		g.Go(func() error { v.readHead(ctx); return nil })
	}
	at := map[v1.Hash]int64{}
	for _, s := range sections {
		if first, twice := at[s.blob]; twice {
			v.broken(s.blob, s.off, fmt.Errorf("it stands in the archive twice, at byte %d, too", first))
		}
		at[s.blob] = s.off
		p, known := v.b.places[s.blob]
		switch {
		case !v.whole:
		case !known:
			v.broken(s.blob, s.off, errors.New("it belongs to no image"))
		case p.off != s.off:
			v.broken(s.blob, s.off, fmt.Errorf("it stands at byte %d of the archive where byte %d is expected", s.off, p.off))
		}
		g.Go(func() error {
			if err := v.readSection(ctx, s); err != nil {
				v.broken(s.blob, s.off, err)
			} else {
				v.good()
			}
			return context.Cause(ctx)
		})
	}
	for _, l := range v.b.head.layers {
		if _, found := at[l.Digest]; !found {
			v.broken(l.Digest, v.b.places[l.Digest].off, errors.New("it is missing"))
		}
	}
	if end >= 0 {
		g.Go(func() error { v.readEnd(ctx, end); return nil })
	}
	return g.Wait()
}

// sections walks from header to header. Where one cannot be read and the head does not tell what
// stands there, it goes on with the next frame. The end is where the archive says that it ends,
// -1 where it does not.
func (v *verifier) sections(ctx context.Context) (all []section, end int64) {
	expected := map[int64]v1.Hash{}
	for h, p := range v.b.places {
		if v.whole {
			expected[p.off] = h
		}
	}
	off := v.b.head.size
	for ctx.Err() == nil && len(all) <= maxCount {
		begin, next, ok := v.b.archive.Frame(off)
		if !ok {
			v.problem(Problem{What: "the archive has no end: copy the bundle again", at: off})
			return all, -1
		}
		if off != begin {
			v.problem(Problem{What: fmt.Sprintf("byte %d of the archive begins no frame", off), at: off})
			off = next
			continue
		}
		h, length, err := v.header(off)
		switch want, known := expected[off]; {
		case errors.Is(err, io.EOF):
			return all, off
		case err != nil && known:
			all = append(all, section{off, next, want, damaged(err)})
			if end := off + entrySize(v.b.places[want].size); end > next && v.begins(end) {
				next = end
			}
			off = next
		case err != nil:
			if v.b.head.size > 0 {
				v.problem(Problem{What: damaged(err).Error(), at: off})
			}
			off = next
		default:
			all = append(all, section{off, off + length, h, nil})
			off += length
		}
	}
	if len(all) > maxCount {
		v.problem(Problem{What: fmt.Sprintf("not a bundle of Slipway: it has more than %d layers", maxCount), at: off})
	}
	return all, -1
}

// begins reports whether a frame begins at a place in the archive.
func (v *verifier) begins(off int64) bool {
	begin, _, ok := v.b.archive.Frame(off)
	return ok && begin == off
}

// header reads the header of a blob, and returns how many bytes of the archive the entry takes.
// io.EOF is the end of the archive.
func (v *verifier) header(off int64) (v1.Hash, int64, error) {
	s, err := v.b.archive.From(off)
	if err != nil {
		return v1.Hash{}, 0, err
	}
	defer s.Close()
	return blobHeader(tar.NewReader(s))
}

// blobHeader reads the header of the next blob, and returns how many bytes of the archive the
// entry takes.
func blobHeader(tr *tar.Reader) (v1.Hash, int64, error) {
	hdr, err := tr.Next()
	if err != nil {
		return v1.Hash{}, 0, tarError(err)
	}
	m := blobPattern.FindStringSubmatch(hdr.Name)
	if m == nil || hdr.Typeflag != tar.TypeReg || hdr.Size > maxLayer {
		return v1.Hash{}, 0, fmt.Errorf("not a bundle of Slipway: %.100q stands where a blob is expected", hdr.Name)
	}
	return v1.Hash{Algorithm: "sha256", Hex: m[1]}, entrySize(hdr.Size), nil
}

// readSection reads the frames of one blob to their end, its padding included.
func (v *verifier) readSection(ctx context.Context, s section) error {
	if s.err != nil {
		return s.err
	}
	f, err := v.b.archive.Between(s.off, s.end)
	if err != nil {
		return damaged(err)
	}
	defer f.Close()
	r := v.counted(ctx, f)
	tr := tar.NewReader(r)
	h, length, err := blobHeader(tr)
	switch {
	case err != nil:
		return damaged(err)
	case h != s.blob || length != s.end-s.off:
		return fmt.Errorf("the bundle is damaged: %s of %d bytes stands in its place: copy it again", h, length)
	}
	got, err := digestOf(tr)
	if err != nil {
		return damaged(err)
	}
	if err := zeroes(r); err != nil {
		return damaged(err)
	}
	if got != s.blob {
		return fmt.Errorf("the bundle is damaged: its bytes have the digest %s: copy it again", got)
	}
	return nil
}

// readHead reads the frames of the head to their end. Its blobs have been held against their
// digests.
func (v *verifier) readHead(ctx context.Context) {
	f, err := v.b.archive.Between(0, v.b.head.size)
	if err == nil {
		_, err = io.Copy(io.Discard, v.counted(ctx, f))
		f.Close()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Blobs += len(v.b.head.blobs)
	if err != nil && v.whole && ctx.Err() == nil { // else it was told, blob by blob
		v.report.Problems = append(v.report.Problems, Problem{What: damaged(err).Error()})
	}
}

// readEnd reads what stands behind the last blob: two blocks of zeros.
func (v *verifier) readEnd(ctx context.Context, off int64) {
	f, err := v.b.archive.From(off)
	if err == nil {
		err = zeroes(v.counted(ctx, f))
		f.Close()
	}
	if size := int64(v.b.archive.Size()); err == nil && size != off+2*tarBlock {
		err = fmt.Errorf("the bundle is damaged: %d bytes stand behind the end of its archive", size-off)
	}
	if err != nil {
		v.problem(Problem{What: damaged(err).Error(), at: off})
	}
}

// zeroes reads to the end, and allows nothing but zeros.
func zeroes(r io.Reader) error {
	b := make([]byte, 4096)
	for {
		n, err := r.Read(b)
		switch {
		case len(bytes.Trim(b[:n], "\x00")) > 0:
			return errors.New("the bundle is damaged: there are bytes between its files: copy it again")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
