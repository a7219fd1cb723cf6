package transfer

import (
	"io"
	"os"
	"sync"
	"sync/atomic"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
)

// spool gives each blob of a source to several registries and reads it once: what one of them has
// read is in a file, from which the others read it, each at its own pace. A registry that asks for
// a blob after all of them have closed it reads the source itself.
type spool struct {
	source  Source
	dir     string
	readers int // how many registries there are

	mu    sync.Mutex
	blobs map[v1.Hash]*spooled
}

// newSpool makes the directory of a spool, which close removes.
func newSpool(source Source, readers int) (*spool, error) {
	dir, err := disk.Scratch("")
	return &spool{source: source, dir: dir, readers: readers, blobs: map[v1.Hash]*spooled{}}, err
}

// open opens a blob. It implements [Source].Open.
func (s *spool) open(h v1.Hash) (io.ReadCloser, error) {
	s.mu.Lock()
	b := s.blobs[h]
	if b == nil {
		b = &spooled{open: func() (io.ReadCloser, error) { return s.source.Open(h) }, dir: s.dir, left: s.readers}
		s.blobs[h] = b
	}
	s.mu.Unlock()
	return b.reader()
}

// close removes all files. Nothing may be read any more.
func (s *spool) close() {
	for _, b := range s.blobs {
		b.remove()
	}
	os.RemoveAll(s.dir)
}

// spooled is a blob in a file that grows by what is read of the source.
type spooled struct {
	open func() (io.ReadCloser, error) // opens the source
	dir  string
	size atomic.Int64 // of the file

	mu     sync.Mutex // held while the source is read
	source io.ReadCloser
	file   *disk.File
	err    error // what the source ended with
	users  int   // how many read it now
	left   int   // how many registries have not closed it yet
}

// reader returns a reader of the blob.
func (b *spooled) reader() (_ io.ReadCloser, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users == 0 && b.left <= 0 {
		return b.open()
	}
	if b.file == nil {
		if b.source, err = b.open(); err != nil {
			return nil, err
		}
		if b.file, err = disk.Create(b.dir); err != nil {
			b.source.Close()
			return nil, err
		}
	}
	b.users++
	return &spoolReader{spooled: b}, nil
}

// grow reads the next bytes of the source into p and into the file. It reads none if the file
// has more than at bytes by now.
func (b *spooled) grow(p []byte, at int64) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.size.Load() > at:
		return 0, nil
	case b.err != nil:
		return 0, b.err
	}
	n, b.err = b.source.Read(p)
	if _, err := b.file.WriteAt(p[:n], at); err != nil {
		b.err = err
		return 0, err
	}
	b.size.Add(int64(n))
	return n, b.err
}

// remove closes the source and removes the file.
func (b *spooled) remove() {
	if b.file != nil {
		b.source.Close()
		b.file.Abort()
	}
}

// spoolReader is what one registry reads of a blob.
type spoolReader struct {
	*spooled
	at int64 // how much was read
}

// Read returns the next bytes of the blob.
func (r *spoolReader) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		if have := r.size.Load() - r.at; have > 0 {
			n, err = r.file.ReadAt(p[:min(int64(len(p)), have)], r.at)
		} else {
			n, err = r.grow(p, r.at)
		}
	}
	r.at += int64(n)
	return n, err
}

// Close ends the reading. The last registry removes the file.
func (r *spoolReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left--
	if r.users--; r.users == 0 && r.left <= 0 {
		r.remove()
	}
	return nil
}
