package archive

import (
	"archive/tar"
	"compress/flate"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// damaged is an error of reading in plain words.
type damaged struct {
	what string
	error
}

// Error returns what is wrong and what to do.
func (d damaged) Error() string { return d.what + ": copy or build it again" }

// Unwrap returns the error that was met.
func (d damaged) Unwrap() error { return d.error }

// Damaged says in plain words that the bytes of an archive are the reason for an error of reading
// it, and what to do. Other errors are returned as they are.
func Damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &damaged{}):
	case errors.Is(err, io.ErrUnexpectedEOF):
		return damaged{"it ends in the middle", err}
	case errors.Is(err, tar.ErrHeader):
		return damaged{"it is not a tar archive, or a damaged one", err}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return damaged{"its gzip is damaged", err}
	}
	return err
}
