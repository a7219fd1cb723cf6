package layer

import (
	"fmt"
	"io"
	"io/fs"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/build/deflate"
)

// compressor compresses a layer.
type compressor struct {
	io.WriteCloser

	mediaType types.MediaType
	cut       func()                   // between the contents of files, so that these are compressed alike everywhere
	record    func(blob v1.Hash) error // what a later layer may take from this one
	taken     func() float64           // what was not compressed again would have taken, in seconds
}

func compress(w io.Writer, c Compression, known *deflate.Known) (compressor, error) {
	switch c {
	case Gzip:
		z := deflate.NewGzip(w, known)
		record := func(blob v1.Hash) error { return known.Record(blob, z.Writer) }
		return compressor{z, types.OCILayer, z.Cut, record, z.Taken}, nil
	case Zstd:
		// A window of 8 MiB is what every reader accepts.
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(8<<20))
		return compressor{
			z, types.OCILayerZStd,
			func() {}, func(v1.Hash) error { return nil }, func() float64 { return 0 },
		}, err
	}
	return compressor{}, fmt.Errorf("unknown compression %q: use gzip or zstd", c)
}

// SpecialBits are the bits of a mode that tar has outside of the permissions.
var SpecialBits = map[int64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky}
