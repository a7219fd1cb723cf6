package airgap

import (
	"errors"
	"io"
	"runtime"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"
)

// How many bytes of the archive one frame holds at most. A compressed frame is as large as its
// window: 8 MiB is what every zstd decoder accepts (RFC 8878, 3.1.1.1.2). A stored frame gains
// nothing from size, and small ones are cheap to seek to.
const (
	compressedFrame = 8 << 20
	storedFrame     = 1 << 20
	// overhead is more than what zstd adds to a full frame that does not compress.
	overhead = 4 << 10
)

// maxCores bounds how many frames are compressed at a time, and with them the memory.
var maxCores = min(runtime.GOMAXPROCS(0), 4)

var errStopped = errors.New("packing was stopped")

// encoders are shared by all bundles that are packed at a time.
type encoders struct {
	store    *zstd.Encoder // finds in no time that there is nothing to gain and writes raw blocks
	compress *zstd.Encoder
	buffers  buffers
}

func newEncoders() (*encoders, error) {
	store, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(storedFrame), zstd.WithEncoderConcurrency(maxCores))
	if err != nil {
		return nil, err
	}
	compress, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(compressedFrame), zstd.WithEncoderConcurrency(maxCores))
	return &encoders{store, compress, newBuffers()}, err
}

// frames cuts what is written to it into zstd frames, each independent of the others. They are
// compressed on all cores and written in order by drain, which another goroutine runs.
type frames struct {
	enc    *encoders
	stored bool // the current frame is stored
	buf    []byte
	// in the order of the archive; its capacity bounds how many frames are in memory
	queue   chan chan frame
	stopped <-chan struct{}
}

// frame is raw bytes and the zstd frame made of them.
type frame struct{ raw, sealed []byte }

func newFrames(enc *encoders, stopped <-chan struct{}) *frames {
	return &frames{enc: enc, queue: make(chan chan frame, maxCores), stopped: stopped}
}

// Write appends to the current frame and begins another where it is full.
func (f *frames) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if f.buf == nil {
			f.buf = f.enc.buffers.get(f.stored)
		}
		m := min(len(p)-n, cap(f.buf)-overhead-len(f.buf))
		f.buf = append(f.buf, p[n:n+m]...)
		n += m
		if len(f.buf) == cap(f.buf)-overhead {
			if err := f.cut(f.stored); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// cut ends the current frame, and says whether the next ones are stored.
func (f *frames) cut(stored bool) error {
	raw, was := f.buf, f.stored
	f.buf, f.stored = nil, stored
	if raw == nil {
		return nil
	}
	out := make(chan frame, 1)
	select {
	case f.queue <- out:
	case <-f.stopped:
		return errStopped
	}
	go func() {
		e := f.enc.compress
		if was {
			e = f.enc.store
		}
		out <- frame{raw, e.EncodeAll(raw, f.enc.buffers.get(was))}
	}()
	return nil
}

// drain writes the frames as they come, until the queue is closed, and then the seek table.
func (f *frames) drain(w io.Writer) error {
	var current ready
	sw, err := seekable.NewWriter(w, &current)
	if err != nil {
		return err
	}
	for out := range f.queue {
		fr := <-out
		current = fr.sealed
		if _, err := sw.Write(fr.raw); err != nil {
			return err
		}
		f.enc.buffers.put(fr.raw)
		f.enc.buffers.put(fr.sealed)
	}
	return sw.Close()
}

// ready is a frame that has been compressed already; it is the seekable writer's encoder, which
// therefore keeps the table only.
type ready []byte

func (r *ready) EncodeAll(_, _ []byte) []byte { return *r }

// buffers are kept for later frames. Unlike a sync.Pool they are never more than what was in use
// at a time.
type buffers struct{ small, large chan []byte }

func newBuffers() buffers {
	// two bundles, each with twice as many frames under way as there are cores, raw and sealed
	n := 8 * maxCores
	return buffers{make(chan []byte, n), make(chan []byte, n)}
}

func (b buffers) get(stored bool) []byte {
	free, size := b.large, compressedFrame
	if stored {
		free, size = b.small, storedFrame
	}
	select {
	case buf := <-free:
		return buf[:0]
	default:
		return make([]byte, 0, size+overhead)
	}
}

func (b buffers) put(buf []byte) {
	var free chan []byte // of a buffer that the encoder had to enlarge: none
	switch cap(buf) {
	case storedFrame + overhead:
		free = b.small
	case compressedFrame + overhead:
		free = b.large
	}
	select {
	case free <- buf:
	default:
	}
}
