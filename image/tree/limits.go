package tree

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"sync/atomic"

	"github.com/slipway-dev/slipway/image/archive"
)

// Limits bound the files that the instructions of a Dockerfile write, all stages together, before
// anything is written: a copy is only a reference to its source. The files of bases do not count;
// each of their layers has the default limits, or these where they are larger.
type Limits struct {
	Bytes int64 // of the files of all layers, and of unpacked archives; zero is 16 GiB
	Files int   // zero is 400,000
}

// The limits of a Dockerfile without any: more than images have. A million files took 1.2 GiB of
// memory.
const (
	maxBytes = 16 << 30
	maxFiles = 400_000
)

// LimitError is the error for more than the limits allow.
type LimitError struct{ text, key string }

func (e *LimitError) Error() string {
	return e.text + ": if that is right, give dockerfile." + e.key + " of the image a larger number in slipway.yaml"
}

// What returns the reason, without what to do about it.
func (e *LimitError) What() string { return e.text }

// Budget counts what an evaluation has written. A nil one counts nothing.
type Budget struct {
	Limits
	bytes int64
	files int
	ratio bool // archives that look like bombs are refused
	Over  bool // nothing more is evaluated
}

func newBudget(l Limits) *Budget {
	return &Budget{Limits: Limits{cmp.Or(l.Bytes, maxBytes), cmp.Or(l.Files, maxFiles)}, ratio: l.Bytes == 0}
}

// ofLayer returns the budget of reading one layer of a base.
func ofLayer(l Limits) *Budget {
	return &Budget{Limits: Limits{max(l.Bytes, maxBytes), max(l.Files, maxFiles)}, ratio: l.Bytes == 0}
}

func (b *Budget) file() error {
	if b == nil {
		return nil
	}
	if b.files++; b.files > b.Files {
		b.Over = true
		return tooMany(b.Files)
	}
	return nil
}

func tooMany(limit int) error {
	return &LimitError{fmt.Sprintf("this makes more than %d files in all", limit), "maxFiles"}
}

// add counts bytes of a layer.
func (b *Budget) add(n int64) error {
	if b == nil || n <= 0 {
		return nil
	}
	if n > b.Bytes-b.bytes {
		return b.tooLarge()
	}
	b.bytes += n
	return nil
}

func (b *Budget) tooLarge() error {
	b.Over = true
	return &LimitError{fmt.Sprintf("this makes more than %d MiB of files in all", b.Bytes>>20), "maxMiB"}
}

// announced checks the size that an archive of some bytes says it unpacks to.
func (b *Budget) announced(size uint64, of int64) error {
	switch {
	case size > uint64(b.Bytes-b.bytes): //nolint:gosec // it is never negative
		return b.tooLarge()
	case b.ratio && size > archive.Unsuspected && size/archive.MaxRatio > uint64(of): //nolint:gosec // a size
		return b.suspect()
	}
	return nil
}

func (b *Budget) suspect() error {
	b.Over = true
	return &LimitError{fmt.Sprintf("the archive unpacks to more than %d MiB, and to more than %d times its size",
		archive.Unsuspected>>20, archive.MaxRatio), "maxMiB"}
}

// bounded is a decompressed archive. A tar has up to two KiB besides the content of each file.
type bounded struct {
	r    io.Reader
	b    *Budget
	left int64
	out  int64
	in   *atomic.Int64 // compressed bytes that were read; nil where the ratio does not count
}

func (b *Budget) unpack(r io.ReadCloser) *bounded {
	u := &bounded{r: r, b: b, left: b.Bytes - b.bytes + int64(b.Files)<<11}
	if p, ok := r.(*plain); ok && b.ratio {
		u.in = &p.in
	}
	return u
}

func (u *bounded) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.out += int64(n)
	switch {
	case u.out > u.left:
		return n, u.b.tooLarge()
	case u.in != nil && u.out > archive.Unsuspected && u.out/archive.MaxRatio > u.in.Load():
		return n, u.b.suspect()
	}
	return n, err
}

// plain is a decompressed reader that counts what it was decompressed from.
type plain struct {
	io.Reader
	closers
	in atomic.Int64
}

// decompressed opens and decompresses a reader. Close closes both.
func decompressed(open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	p := &plain{}
	d, err := archive.Decompress(counting{r, &p.in})
	if err != nil {
		r.Close()
		return nil, err
	}
	p.Reader, p.closers = d, closers{d, r}
	return p, nil
}

type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Drop removes the archives that were unpacked for an evaluation that came to nothing, or in a part
// of its own.
func (a *Archives) Drop() {
	if a.Part != "" {
		os.RemoveAll(a.store.WorkPath(path.Join("tar", a.Part)))
		return
	}
	for _, file := range a.spooled {
		os.Remove(file) //nolint:errcheck // clean removes it as well
	}
}

// Trim removes the unpacked archives if they take more than some bytes. A later read unpacks them
// again.
func (a *Archives) Trim(most int64) {
	size := int64(0)
	for _, file := range a.spooled {
		if fi, err := os.Stat(file); err == nil {
			size += fi.Size()
		}
	}
	if size > most {
		a.Drop()
		a.spooled = nil
	}
}
