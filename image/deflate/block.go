package deflate

import (
	"bytes"
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// key names all that a compressed block follows from.
type key [sha256.Size]byte

type block struct {
	raw    []byte // window and the bytes to compress
	window int    // bytes
	ready  chan struct{}
	// When it is ready, raw has been released.
	key      key
	deflated *deflated
	taken    bool // and not compressed for this stream
}

type deflated struct {
	bytes   []byte
	sum     key     // of bytes
	seconds float32 // of a processor, to compress it
}

// compress takes a block from those that are known, or compresses it.
func (b *block) compress(known *Known) {
	b.key = keyOf(b.raw, b.window)
	b.taken = true
	b.deflated = lately.get(b.key, func() *deflated {
		if d := known.read(b.key); d != nil {
			return d
		}
		b.taken = false
		d := new(deflated)
		d.seconds = float32(measured(func() { d.bytes = compress(b.raw, b.window) }))
		d.sum = sha256.Sum256(d.bytes)
		return d
	})
	release(b.raw)
	close(b.ready)
}

// keyOf returns the key of a block. One with a window is never one without.
func keyOf(raw []byte, window int) (k key) {
	h := sha256.New()
	h.Write([]byte{byte(min(window, 1))})
	h.Write(raw)
	h.Sum(k[:0])
	return k
}

// Format changes whenever equal streams would give other bytes than before, as with a new version
// of the library. Each key of compressed data in the store contains it.
const Format = 1

// level is the library's own choice: kpack's layers are 1.6 % larger than at level 6.
const level = flate.DefaultCompression

var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level exists
	}
	return w
}}

var blocks atomic.Int64

// Blocks returns how many blocks this process has compressed, for tests.
func Blocks() int64 { return blocks.Load() }

// compress returns a block that ends at a byte.
func compress(raw []byte, window int) []byte {
	blocks.Add(1)
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	var out bytes.Buffer
	out.Grow(len(raw) / 2)
	w.ResetDict(&out, raw[:window]) // Reset would take the window of another block again
	w.Write(raw[window:])           //nolint:errcheck // a buffer has no errors
	w.Flush()                       //nolint:errcheck // as above
	return out.Bytes()
}

var buffers = sync.Pool{New: func() any { return new([window + size]byte) }}

func buffer() []byte { return buffers.Get().(*[window + size]byte)[:0] }

func release(b []byte) { buffers.Put((*[window + size]byte)(b[:window+size])) }

// most is how many compressed bytes are kept in memory: enough for a layer and an archive that have
// the same program, and are written at the same time.
const most = 16 << 20

// recent are blocks of which some stream of this process has asked for lately.
type recent struct {
	mu    sync.Mutex
	all   map[key]*flight
	order []key // the oldest first
	bytes int   // of all that are done
}

// flight is a block that one goroutine compresses, and others wait for.
type flight struct {
	done     chan struct{}
	deflated *deflated
}

var lately = recent{all: map[key]*flight{}}

// get returns a block, which compress makes unless another stream has or does.
func (r *recent) get(k key, compress func() *deflated) *deflated {
	f, first := r.flight(k)
	if !first {
		<-f.done
		return f.deflated
	}
	f.deflated = compress()
	close(f.done)
	r.keep(k, len(f.deflated.bytes))
	return f.deflated
}

func (r *recent) flight(k key) (f *flight, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, ok := r.all[k]
	if !ok {
		f = &flight{done: make(chan struct{})}
		r.all[k] = f
	}
	return f, !ok
}

// keep keeps a block that is done, and drops the oldest where that is too much.
func (r *recent) keep(k key, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = append(r.order, k)
	r.bytes += n
	for r.bytes > most {
		r.bytes -= len(r.all[r.order[0]].deflated.bytes)
		delete(r.all, r.order[0])
		r.order = r.order[1:]
	}
}
