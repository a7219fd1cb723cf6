package seekable

import "github.com/klauspost/compress/zstd"

// How many bytes of the archive one frame has at most. A compressed frame is as large as its
// window: 8 MiB is what every zstd decoder accepts (RFC 8878, 3.1.1.1.2). A stored frame gains
// nothing from size, and small ones are cheap to seek to.
const (
	CompressedFrame = 8 << 20
	StoredFrame     = 1 << 20
	// overhead is more than what zstd or gzip adds to a full frame that does not compress.
	overhead = 4 << 10
)

// small is the size in bytes below which a frame is compressed with less effort: the tables of
// the best compression have 34 MiB, and to fill them takes longer than what a few documents gain.
const small = 1 << 20

// Encoders compress frames. Several writers may share them.
type Encoders struct {
	store    *encoder // gives up at once where nothing compresses, and writes raw blocks
	compress *encoder
	small    *zstd.Encoder // for frames of compress with less than small bytes
}

// NewEncoders returns encoders for all writers that are active at a time.
func NewEncoders() (*Encoders, error) {
	store, err := newEncoder(zstd.SpeedFastest, StoredFrame)
	if err != nil {
		return nil, err
	}
	compress, err := newEncoder(zstd.SpeedBestCompression, CompressedFrame)
	if err != nil {
		return nil, err
	}
	less, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(small), zstd.WithEncoderConcurrency(Cores))
	return &Encoders{store, compress, less}, err
}

// encoder compresses frames of one size, and keeps buffers for later frames, unlike a sync.Pool
// never more than were in use at a time.
type encoder struct {
	*zstd.Encoder

	size int // of a buffer
	free chan []byte
}

func newEncoder(level zstd.EncoderLevel, frame int) (*encoder, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(frame),
		zstd.WithEncoderConcurrency(Cores))
	// two writers, each with twice as many frames under way as there are cores: raw, zstd and gzip
	return &encoder{z, frame + overhead, make(chan []byte, 12*Cores)}, err
}

func (e *encoder) get() []byte {
	select {
	case buf := <-e.free:
		return buf[:0]
	default:
		return make([]byte, 0, e.size)
	}
}

func (e *encoder) put(buf []byte) {
	if cap(buf) != e.size { // the encoder had to enlarge it
		return
	}
	select {
	case e.free <- buf:
	default:
	}
}
