package lock

import (
	"io"

	"github.com/slipway-dev/slipway/internal/stagefile"
)

// Decode reads a lock of at most 64 MiB from r.
func Decode(r io.Reader) (*Lock, error) {
	var l Lock
	if err := stagefile.Lock.Decode(r, &l); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, stagefile.Lock.Invalid(err)
	}
	return &l, nil
}
