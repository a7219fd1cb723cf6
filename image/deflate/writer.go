// Package deflate compresses streams on all cores, in blocks that follow from what they compress
// alone, and takes a block that was compressed before from where it is (RFC 1951).
//
// A block is 256 KiB of a stream, and the 32 KiB before it that it may refer to. Each block ends at
// a byte, so a stream is its blocks one behind the other. [Writer.Cut] begins a new block that
// refers to nothing, as at the begin of a stream: the blocks of a file between two cuts are the
// same in every stream, a layer or an archive. Where a line of a program has changed, half of its
// blocks are those of before.
//
// Equal bytes with equal cuts give equal streams, whatever is known and however many cores there
// are.
package deflate

import (
	"io"
	"runtime"
	"sync/atomic"

	"github.com/slipway-dev/slipway/internal/gzipped"
)

const (
	// size is how many bytes of a stream a block has. Smaller ones are the same more often, but
	// know less of each other.
	size = 256 << 10
	// window is how far back deflate refers.
	window = 32 << 10
)

// Writer compresses a stream. The caller closes it.
type Writer struct {
	to     io.Writer
	known  *Known
	raw    []byte // window, and then the bytes that are not yet in a block
	window int    // how many bytes of raw are that
	queue  chan *block
	ended  chan struct{} // when all of queue is written
	failed atomic.Pointer[error]
	offset int64 // of the next block, in what to writes
	places []place
	taken  float64 // seconds
}

// NewWriter returns a writer that compresses to another one. known may be nil.
func NewWriter(to io.Writer, known *Known) *Writer {
	w := &Writer{
		to: to, known: known,
		raw: buffer(), queue: make(chan *block, runtime.GOMAXPROCS(0)+1), ended: make(chan struct{}),
	}
	go w.drain()
	return w
}

// At says before the first write at which offset of the blob the stream begins.
func (w *Writer) At(offset int64) { w.offset = offset }

// Write compresses p. An error is one of the writer below, of this call or an earlier one.
func (w *Writer) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		n := min(len(p), size-(len(w.raw)-w.window))
		w.raw = append(w.raw, p[:n]...)
		written, p = written+n, p[n:]
		if len(w.raw)-w.window == size {
			w.next()
		}
	}
	return written, w.err()
}

// Cut ends a block. The next one refers to nothing before it.
func (w *Writer) Cut() {
	if len(w.raw) > w.window {
		w.next()
	}
	w.raw, w.window = w.raw[:0], 0
}

// alone is the size from which a file is compressed by itself: so small ones are not.
const alone = 64 << 10

// CutFile cuts before and behind a file of a size in bytes, if that is large. A nil writer does
// nothing.
func (w *Writer) CutFile(size int64) {
	if w != nil && size >= alone {
		w.Cut()
	}
}

// Close ends the stream, and returns the first error.
func (w *Writer) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	_, err := io.WriteString(w.to, gzipped.Final)
	return err
}

// end writes all blocks, without one that is the last.
func (w *Writer) end() error {
	w.Cut()
	close(w.queue)
	<-w.ended
	release(w.raw)
	return w.err()
}

// Taken returns, after Close, how many seconds of a processor it took to compress the blocks that
// this stream has not compressed; 0 for nil.
func (w *Writer) Taken() float64 {
	if w == nil {
		return 0
	}
	return w.taken
}

func (w *Writer) err() error {
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// next compresses a block, while others are, and begins the one behind it.
func (w *Writer) next() {
	b := &block{raw: w.raw, window: w.window, ready: make(chan struct{})}
	w.raw = append(buffer(), w.raw[max(0, len(w.raw)-window):]...)
	w.window = len(w.raw)
	w.queue <- b
	go b.compress(w.known)
}

func (w *Writer) drain() {
	defer close(w.ended)
	for b := range w.queue {
		<-b.ready
		if w.err() != nil {
			continue
		}
		if _, err := w.to.Write(b.deflated.bytes); err != nil {
			w.failed.Store(&err)
			continue
		}
		d := b.deflated
		w.places = append(w.places, place{b.key, d.sum, w.offset, len(d.bytes), d.seconds})
		w.offset += int64(len(d.bytes))
		if b.taken {
			w.taken += float64(d.seconds)
		}
	}
}

// Gzip compresses a stream to gzip (RFC 1952). The caller closes it.
type Gzip struct {
	*Writer

	file *gzipped.Writer
}

// NewGzip returns a writer that compresses to the begin of a blob. known may be nil.
func NewGzip(to io.Writer, known *Known) *Gzip {
	file := gzipped.NewWriter(to)
	g := &Gzip{Writer: NewWriter(file, known), file: file}
	g.At(int64(gzipped.HeaderSize))
	return g
}

// Write compresses p. An error is one of the writer below, of this call or an earlier one.
func (g *Gzip) Write(p []byte) (int, error) {
	g.file.Sum(p)
	return g.Writer.Write(p)
}

// Close ends the stream, and returns the first error.
func (g *Gzip) Close() error {
	if err := g.end(); err != nil {
		return err
	}
	return g.file.Close()
}
