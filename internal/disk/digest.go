package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/regular"
)

// Digest reads a regular file and returns its digest. The bytes are also written to count, unless
// that is nil, and the error is the cause of ctx once that is done. The file is read every time,
// because size and modification time do not show whether the disk has kept its bytes.
func Digest(ctx context.Context, path string, count io.Writer) (v1.Hash, error) {
	f, err := regular.Open(path)
	if err != nil {
		return v1.Hash{}, err
	}
	defer f.Close()
	if count == nil {
		count = io.Discard
	}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(h, count), interruptible{ctx, f}); err != nil {
		return v1.Hash{}, err
	}
	return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}, nil
}

// interruptible is a reader that fails once its context is done.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	return i.r.Read(p)
}
