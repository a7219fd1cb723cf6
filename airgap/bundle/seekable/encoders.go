package seekable

import "github.com/klauspost/compress/zstd"

// How many bytes of the archive one frame has at most. A compressed frame is as large as its
// window: 8 MiB is what every zstd decoder accepts (RFC 8878, 3.1.1.1.2). A stored frame gains
// nothing from size, and small ones are cheap to seek to.
const (
	CompressedFrame = 8 << 20
	StoredFrame     = 1 << 20
	// overhead is more than what zstd adds to a full frame that does not compress.
	overhead = 4 << 10
)

// Encoders compress frames. Several writers may share them.
type Encoders struct {
	store    *zstd.Encoder // gives up at once where nothing compresses, and writes raw blocks
	compress *zstd.Encoder
	buffers  buffers
}

// NewEncoders returns encoders for all writers that are active at a time.
func NewEncoders() (*Encoders, error) {
	store, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(StoredFrame), zstd.WithEncoderConcurrency(Cores))
	if err != nil {
		return nil, err
	}
	compress, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(CompressedFrame), zstd.WithEncoderConcurrency(Cores))
	return &Encoders{store, compress, newBuffers()}, err
}

func (e *Encoders) encode(raw []byte, stored bool) []byte {
	if stored {
		return e.store.EncodeAll(raw, e.buffers.get(true))
	}
	return e.compress.EncodeAll(raw, e.buffers.get(false))
}

// buffers are kept for later frames. Unlike a sync.Pool they are never more than what was in use
// at a time.
type buffers struct{ small, large chan []byte }

func newBuffers() buffers {
	// two writers, each with twice as many frames under way as there are cores, raw and compressed
	n := 8 * Cores
	return buffers{make(chan []byte, n), make(chan []byte, n)}
}

func (b buffers) get(stored bool) []byte {
	free, size := b.large, CompressedFrame
	if stored {
		free, size = b.small, StoredFrame
	}
	select {
	case buf := <-free:
		return buf[:0]
	default:
		return make([]byte, 0, size+overhead)
	}
}

func (b buffers) put(buf []byte) {
	var free chan []byte // nil for a buffer that the encoder had to enlarge
	switch cap(buf) {
	case StoredFrame + overhead:
		free = b.small
	case CompressedFrame + overhead:
		free = b.large
	}
	select {
	case free <- buf:
	default:
	}
}
