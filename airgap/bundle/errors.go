package bundle

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/gzipped"
	"github.com/slipway-dev/slipway/internal/output"
)

// FormatError is a file that is not a bundle: another kind of file, or one that was forged.
// Damage to a bundle on its way from Slipway to its reader is a [DamageError].
type FormatError struct {
	Err error
	// Foreign means that the file is of another kind, by its first bytes.
	Foreign bool
}

func (e *FormatError) Error() string { return "invalid bundle: " + e.Err.Error() }

func (e *FormatError) Unwrap() error { return e.Err }

// DamageError is a bundle whose bytes have changed since it was written, or that ends early.
type DamageError struct{ Err error }

func (e *DamageError) Error() string {
	return "the bundle is damaged: " + e.Err.Error() + ": copy it again"
}

func (e *DamageError) Unwrap() error { return e.Err }

func invalid(format string, args ...any) error { return &FormatError{Err: fmt.Errorf(format, args...)} }

func foreign(text string) error { return &FormatError{errors.New(text), true} }

func damage(format string, args ...any) error { return &DamageError{fmt.Errorf(format, args...)} }

var errTruncated = errors.New("it is truncated")

// readError classifies an error of reading the archive.
func readError(err error) error {
	var format *FormatError
	var damaged *DamageError
	var frame *seekable.FrameError
	var table *seekable.TableError
	var member *gzipped.Error
	switch {
	case err == nil || errors.As(err, &format) || errors.As(err, &damaged):
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return invalid("its zstd window is larger than %d MiB", seekable.MaxWindow>>20)
	case errors.As(err, &frame) || errors.As(err, &table) || errors.As(err, &member) ||
		errors.Is(err, seekable.ErrNoTable):
		return &DamageError{err}
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &DamageError{errTruncated}
	}
	return err
}

// first returns the first of joined errors.
func first(err error) error {
	all := output.Split(err)
	if len(all) < 2 {
		return err
	}
	return fmt.Errorf("%w, and %d problems more: %s lists all", all[0], len(all)-1, verifyCommand())
}
