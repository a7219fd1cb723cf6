package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
)

// section is a sequence of frames with one entry of the archive: each layer begins a frame.
type section struct {
	off, end int64 // in the decompressed archive
	blob     v1.Hash
	err      error // why it cannot be read
}

// frames verifies a bundle with a seek table: the headers of all entries first, then the
// entries, several at a time.
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
			v.broken(s.blob, s.off, fmt.Errorf("the archive has it twice, at byte %d, too", first))
		}
		at[s.blob] = s.off
		if err := v.inPlace(s.blob, s.off); err != nil {
			v.broken(s.blob, s.off, err)
		}
		g.Go(func() error {
			if err := v.readSection(ctx, s); err != nil {
				v.broken(s.blob, s.off, err)
			} else {
				v.good(1)
			}
			return context.Cause(ctx)
		})
	}
	for _, l := range v.b.head.layers {
		if _, found := at[l.Digest]; !found {
			v.broken(l.Digest, v.b.layers[l.Digest].off, errors.New("it is missing"))
		}
	}
	if end >= 0 {
		g.Go(func() error { v.readEnd(ctx, end); return nil })
	}
	return g.Wait()
}

// inPlace reports a blob that is not where the head has it. A head that is damaged has no place.
func (v *verifier) inPlace(h v1.Hash, off int64) error {
	p, known := v.b.layers[h]
	switch {
	case !v.headOK:
		return nil
	case !known:
		return errors.New("it belongs to no image")
	case p.off != off:
		return fmt.Errorf("it is at byte %d of the archive, not at byte %d", off, p.off)
	}
	return nil
}

// sections reads one header after the other. If one cannot be read and the head does not state
// which layer is there, it continues with the next frame. The end is that of the archive, or -1
// without one.
func (v *verifier) sections(ctx context.Context) (all []section, end int64) {
	expected := map[int64]v1.Hash{}
	for h, p := range v.b.layers {
		if v.headOK {
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
		h, size, err := v.header(off)
		switch want, known := expected[off]; {
		case errors.Is(err, io.EOF):
			return all, off
		case err != nil && known:
			all = append(all, section{off, next, want, readError(err)})
			if end := off + entrySize(v.b.layers[want].size); end > next && v.begins(end) {
				next = end
			}
			off = next
		case err != nil:
			if v.b.head.size > 0 {
				v.problem(Problem{What: readError(err).Error(), at: off})
			}
			off = next
		default:
			all = append(all, section{off, off + entrySize(size), h, nil})
			off += entrySize(size)
		}
	}
	if len(all) > maxCount {
		v.problem(Problem{What: invalid("it has more than %d layers", maxCount).Error(), at: off})
	}
	return all, -1
}

// begins reports whether a frame begins at off in the archive.
func (v *verifier) begins(off int64) bool {
	begin, _, ok := v.b.archive.Frame(off)
	return ok && begin == off
}

// header reads the header of a blob, and returns its digest and its size. io.EOF is the end of
// the archive.
func (v *verifier) header(off int64) (v1.Hash, int64, error) {
	s, err := v.b.archive.From(off)
	if err != nil {
		return v1.Hash{}, 0, err
	}
	defer s.Close()
	return newBlobReader(s, v.created()).next()
}

// created returns the time that every entry must have; zero if the head does not state it.
func (v *verifier) created() time.Time {
	if !v.headOK {
		return time.Time{}
	}
	return v.b.contents.Created
}

// readSection reads the frames of one blob to their end, its padding included.
func (v *verifier) readSection(ctx context.Context, s section) error {
	if s.err != nil {
		return s.err
	}
	f, err := v.b.archive.Between(s.off, s.end)
	if err != nil {
		return readError(err)
	}
	defer f.Close()
	r := v.counted(ctx, f)
	tr := newBlobReader(r, v.created())
	h, size, err := tr.next()
	switch {
	case err != nil:
		return readError(err)
	case h != s.blob || entrySize(size) != s.end-s.off:
		return damage("%s of %d bytes is in its place", h, size)
	}
	got, err := digestOf(tr)
	if err != nil {
		return readError(err)
	}
	if err := zeroes(r); err != nil {
		return readError(err)
	}
	if got != s.blob {
		return damage("its bytes have the digest %s", got)
	}
	return nil
}

// readHead reads the frames of the head to their end. The digests of its blobs were compared
// before.
func (v *verifier) readHead(ctx context.Context) {
	f, err := v.b.archive.Between(0, v.b.head.size)
	if err == nil {
		_, err = io.Copy(io.Discard, v.counted(ctx, f))
		f.Close()
	}
	v.good(len(v.b.head.blobs))
	if err != nil && v.headOK && ctx.Err() == nil { // else each blob was reported
		v.problem(Problem{What: readError(err).Error()})
	}
}

// readEnd reads what follows the last blob: two blocks of zeros.
func (v *verifier) readEnd(ctx context.Context, off int64) {
	f, err := v.b.archive.From(off)
	if err == nil {
		err = zeroes(v.counted(ctx, f))
		f.Close()
	}
	if size := int64(v.b.archive.Size()); err == nil && size != off+2*tarBlock {
		err = damage("%d bytes are behind the end of its archive", size-off)
	}
	if err != nil {
		v.problem(Problem{What: readError(err).Error(), at: off})
	}
}

// zeroes reads to the end, and accepts only zeros.
func zeroes(r io.Reader) error {
	b := make([]byte, 4096)
	for {
		n, err := r.Read(b)
		switch {
		case len(bytes.Trim(b[:n], "\x00")) > 0:
			return errBetween
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
