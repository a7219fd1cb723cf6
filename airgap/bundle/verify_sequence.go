package bundle

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
)

// sequence verifies a bundle without a usable seek table from its start to its end, or until it
// cannot be read.
func (v *verifier) sequence(ctx context.Context) error {
	f, err := v.b.from(v.b.head.size)
	if err != nil {
		v.problem(Problem{What: readError(err).Error()})
		return nil
	}
	defer f.Close()
	if v.b.head.size == 0 {
		return nil // it was reported why
	}
	v.good(len(v.b.head.blobs))
	defer v.bytes.Add(v.b.head.size)
	r := v.counted(ctx, f)
	tr := newBlobReader(r, v.created())
	seen := map[v1.Hash]bool{}
	off := v.b.head.size
	var size int64
	for err == nil && ctx.Err() == nil {
		if len(seen) > maxCount {
			err = invalid("it has more than %d layers", maxCount)
			break
		}
		var h v1.Hash
		if h, size, err = tr.next(); err != nil {
			break
		}
		var got v1.Hash
		if got, err = digestOf(tr); err != nil {
			break
		}
		switch bad := v.inPlace(h, off); {
		case got != h:
			v.broken(h, off, damage("its bytes have the digest %s", got))
		case seen[h]:
			v.broken(h, off, errors.New("the archive has it twice"))
		case bad != nil:
			v.broken(h, off, bad)
		default:
			v.good(1)
		}
		seen[h] = true
		off += entrySize(size)
	}
	if errors.Is(err, io.EOF) {
		if err = zeroes(io.LimitReader(r, 3*tarBlock)); err == nil && v.bytes.Load() != off-v.b.head.size+2*tarBlock {
			err = io.ErrUnexpectedEOF // the end is missing, or more follows
		}
	}
	if err != nil && ctx.Err() == nil {
		v.lost(readError(err), off, seen)
		return nil
	}
	for _, l := range v.b.head.layers {
		if !seen[l.Digest] {
			v.broken(l.Digest, v.b.layers[l.Digest].off, errors.New("it is missing"))
		}
	}
	return nil
}

// lost reports where the archive cannot be read further, and how many layers are behind that.
// This is one problem: with one cause, and one remedy.
func (v *verifier) lost(err error, off int64, seen map[v1.Hash]bool) {
	p := Problem{at: off}
	behind := 0
	for _, l := range v.b.head.layers {
		if seen[l.Digest] {
			continue
		}
		behind++
		for _, i := range v.owners[l.Digest] {
			if !slices.Contains(p.Images, i) {
				p.Images = append(p.Images, i)
			}
		}
	}
	if behind > 0 && !errors.As(err, new(*FormatError)) && !errors.As(err, new(*fs.PathError)) {
		if d := (*DamageError)(nil); errors.As(err, &d) {
			err = d.Err
		}
		err = damage("%w, at byte %d of its archive, with %d of its %d layers behind that", err, off, behind,
			len(v.b.head.layers))
	}
	v.explained(err)
	p.What = err.Error()
	v.problem(p)
}

// explained forgets that the seek table is missing, where damage of the archive is the cause: a
// file that was cut lacks it.
func (v *verifier) explained(by error) {
	if errors.As(by, new(*DamageError)) && errors.Is(v.tableErr, seekable.ErrNoTable) {
		v.tableErr = nil
	}
}
