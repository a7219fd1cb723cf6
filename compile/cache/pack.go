package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/regular"
)

// packSize is how many bytes of objects a pack has, unless one object has more. A few MiB,
// compressed, are little enough to be read for the sake of one object.
const packSize = 16 << 20

// maxObject bounds an object in bytes, far beyond those of real packages.
const maxObject = 1 << 30

// makePack reads objects from the disk and compresses them, without those that have vanished.
func makePack(l *local, list []entry) (pack, []byte, error) {
	var blob bytes.Buffer
	var p pack
	w, err := zstd.NewWriter(&blob, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return p, nil, err
	}
	for _, e := range list {
		b, err := regular.ReadMost(l.object(e.output), maxObject)
		if err != nil || sha256.Sum256(b) != e.output {
			continue
		}
		if _, err := w.Write(b); err != nil {
			return p, nil, err
		}
		p.objects = append(p.objects, object{output: e.output, offset: p.raw, size: int64(len(b))})
		p.raw += int64(len(b))
	}
	if err := w.Close(); err != nil {
		return p, nil, err
	}
	p.digest, p.size = sha256.Sum256(blob.Bytes()), int64(blob.Len())
	return p, blob.Bytes(), nil
}

// unpack writes the objects of a pack to the disk, up to the first one whose bytes do not have its
// name.
func unpack(l *local, p *pack, r io.Reader) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(32<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	at := int64(0)
	for _, o := range p.objects {
		if _, err := io.CopyN(io.Discard, z, o.offset-at); err != nil {
			return err
		}
		body := io.LimitReader(z, o.size)
		if l.has(o.entry()) {
			_, err = io.Copy(io.Discard, body)
		} else {
			err = l.keep(o.entry(), body)
		}
		if errors.Is(err, errOther) {
			return fmt.Errorf("object %x: %w", o.output, err)
		}
		if err != nil {
			return err
		}
		at = o.offset + o.size
	}
	return nil
}
