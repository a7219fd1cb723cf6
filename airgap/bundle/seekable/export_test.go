package seekable

import (
	"context"
	"io"
)

// Write is [WriteTwins] without a twin.
func Write(ctx context.Context, w io.Writer, enc *Encoders, fill func(*Writer) error) error {
	return WriteTwins(ctx, w, nil, enc, fill)
}
