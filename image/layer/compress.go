package layer

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/image/deflate"
)

// compressor compresses a layer.
type compressor struct {
	io.WriteCloser

	mediaType types.MediaType
	blocks    *deflate.Writer // nil for zstd
}

func compress(w io.Writer, c Compression, known *deflate.Known) (compressor, error) {
	switch c {
	case Gzip:
		z := deflate.NewGzip(w, known)
		return compressor{z, types.OCILayer, z.Writer}, nil
	case Zstd:
		// A window of 8 MiB is what every reader accepts.
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(8<<20))
		return compressor{z, types.OCILayerZStd, nil}, err
	}
	return compressor{}, fmt.Errorf("unknown compression %q: use gzip or zstd", c)
}

// SpecialBits are the bits of a mode that tar has outside of the permissions.
var SpecialBits = map[int64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky}
