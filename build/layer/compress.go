package layer

import (
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
)

// block is how many bytes one core compresses at a time. Where the cuts lie follows from it
// alone, so the bytes of a layer do not depend on the number of cores.
const block = 1 << 20

func compressor(w io.Writer, c Compression) (io.WriteCloser, types.MediaType, error) {
	switch c {
	case Gzip:
		z := pgzip.NewWriter(w)
		if err := z.SetConcurrency(block, runtime.GOMAXPROCS(0)+1); err != nil {
			return nil, "", err
		}
		return z, types.OCILayer, nil
	case Zstd:
		// A window of 8 MiB is what every reader accepts.
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(8<<20))
		return z, types.OCILayerZStd, err
	}
	return nil, "", fmt.Errorf("unknown compression %q: use gzip or zstd", c)
}

// SpecialBits are the bits of a mode that tar has outside of the permissions.
var SpecialBits = map[int64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky}
