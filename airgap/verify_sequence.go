package airgap

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// sequence verifies a bundle without a usable seek table from its start to its end, or to the
// first place that cannot be read.
func (v *verifier) sequence(ctx context.Context) error {
	f, err := v.b.archive.From(v.b.head.size)
	if err != nil {
		v.problem(Problem{What: damaged(err).Error()})
		return nil
	}
	defer f.Close()
	if v.b.head.size == 0 {
		return nil // what cannot be understood from its start has been reported
	}
	v.report.Blobs += len(v.b.head.blobs)
	r := v.counted(ctx, f)
	tr := tar.NewReader(r)
	seen := map[v1.Hash]bool{}
	off := v.b.head.size
	var length int64
	for err == nil && ctx.Err() == nil {
		if len(seen) > maxCount {
			err = fmt.Errorf("not a bundle of Slipway: it has more than %d layers", maxCount)
			break
		}
		var h v1.Hash
		if h, length, err = blobHeader(tr); err != nil {
			break
		}
		var got v1.Hash
		if got, err = digestOf(tr); err != nil {
			break
		}
		_, known := v.b.places[h]
		switch {
		case got != h:
			v.broken(h, off, fmt.Errorf("the bundle is damaged: its bytes have the digest %s: copy it again", got))
		case seen[h]:
			v.broken(h, off, errors.New("it stands in the archive twice"))
		case v.whole && !known:
			v.broken(h, off, errors.New("it belongs to no image"))
		default:
			v.good()
		}
		seen[h] = true
		off += length
	}
	missing := "it is missing"
	if errors.Is(err, io.EOF) {
		if err = zeroes(io.LimitReader(r, 3*tarBlock)); err == nil && v.report.Bytes != off-v.b.head.size+2*tarBlock {
			err = io.ErrUnexpectedEOF // no end was written, or there is more behind it
		}
	}
	if err != nil && ctx.Err() == nil {
		v.problem(Problem{What: damaged(err).Error(), at: off})
		missing = "it stands behind the place that cannot be read, or is missing"
	}
	for _, l := range v.b.head.layers {
		if !seen[l.Digest] {
			v.broken(l.Digest, v.b.places[l.Digest].off, errors.New(missing))
		}
	}
	return nil
}
