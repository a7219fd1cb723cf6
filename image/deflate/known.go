package deflate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// kind is that of the records of a store that name the blocks of a blob.
const kind = "deflated"

// recordKey keeps the blocks of another compressor out.
func recordKey(series string) string { return fmt.Sprintf("%d %s", Format, series) }

// Known are the blocks of the blob that was written last in a series of blobs which follow one
// another, such as the layers of one image and platform. nil is empty, and records nothing.
type Known struct {
	store  *store.Store
	series string
	blob   *os.File // nil if there is none
	places map[key]place
}

// place is where a compressed block is in a blob.
type place struct {
	key     key
	sum     key // of its bytes
	offset  int64
	n       int // bytes
	seconds float32
}

// placed is what the store remembers of a blob.
type placed struct {
	Blob v1.Hash `json:"blob"`
	// Places has for each block in base64: the key and the SHA-256 of its bytes, 32 bytes each, its
	// offset (8 bytes), size (4), and the seconds it took (4, IEEE 754), big-endian.
	Places string `json:"places"`
}

// Open returns the blocks of a series in the store; nil if the series has no name. The caller
// closes them. Blocks that cannot be read are compressed again.
func Open(st *store.Store, series string) *Known {
	if series == "" {
		return nil
	}
	k := &Known{store: st, series: series, places: map[key]place{}}
	var last placed
	found, err := st.Recall(kind, recordKey(series), &last)
	if err != nil || !found || last.Blob.Algorithm != "sha256" {
		return k
	}
	packed, err := base64.StdEncoding.DecodeString(last.Places)
	if err != nil {
		return k
	}
	if k.blob, err = regular.Open(st.Path(last.Blob)); err != nil {
		return k
	}
	for ; len(packed) >= placeSize; packed = packed[placeSize:] {
		p := unpack(packed)
		k.places[p.key] = p
	}
	return k
}

// Close closes what Open has opened.
func (k *Known) Close() {
	if k != nil && k.blob != nil {
		k.blob.Close()
	}
}

// Record remembers the blocks of a blob, which the next one in the series takes.
func (k *Known) Record(blob v1.Hash, of ...*Writer) error {
	if k == nil {
		return nil
	}
	var packed []byte
	for _, w := range of {
		for _, p := range w.places {
			packed = p.pack(packed)
		}
	}
	return k.store.Record(kind, recordKey(k.series), placed{blob, base64.StdEncoding.EncodeToString(packed)})
}

// read returns a block, and nil if it is not known or has changed since.
func (k *Known) read(of key) *deflated {
	if k == nil {
		return nil
	}
	p, ok := k.places[of]
	if !ok || p.n > 2*size {
		return nil
	}
	b := make([]byte, p.n)
	if _, err := k.blob.ReadAt(b, p.offset); err != nil || sha256.Sum256(b) != p.sum {
		return nil
	}
	return &deflated{b, p.sum, p.seconds}
}

const placeSize = 2*sha256.Size + 8 + 4 + 4

func (p place) pack(to []byte) []byte {
	to = append(append(to, p.key[:]...), p.sum[:]...)
	to = binary.BigEndian.AppendUint64(to, uint64(p.offset))
	to = binary.BigEndian.AppendUint32(to, uint32(p.n))
	return binary.BigEndian.AppendUint32(to, math.Float32bits(p.seconds))
}

func unpack(b []byte) place {
	const at = 2 * sha256.Size
	return place{
		key: key(b[:sha256.Size]), sum: key(b[sha256.Size:at]),
		offset: int64(binary.BigEndian.Uint64(b[at:])), n: int(binary.BigEndian.Uint32(b[at+8:])),
		seconds: math.Float32frombits(binary.BigEndian.Uint32(b[at+12:])),
	}
}
