package seekable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
)

// The table ends with the number of frames, a byte of flags and a magic number.
const (
	tableHeader = 8 // bytes before the entries
	tableFooter = 9
	tableMagic  = 0x8F92EAB1
	checksums   = 0x80    // the flag of a table whose frames have checksums
	maxFrames   = 1 << 20 // of 1 MiB or more each
	// MaxRatio bounds how many decompressed bytes a byte of a file may give, above the first GiB:
	// frames of zstd can announce far more than they contain.
	MaxRatio = 1000
	// TableEntry is how many bytes a frame takes in the table that [Write] writes.
	TableEntry = 12
)

// readTable reads the table at the end of a file; nil if there is none. A table that does
// not describe the file is an error: its frames must follow each other from the first byte of the
// file to the table, and none may be empty. What a frame holds is checked when it is read.
func readTable(r io.ReaderAt, size int64) (*seekable.SeekTable, error) {
	var footer [tableFooter]byte
	if size < tableHeader+tableFooter {
		return nil, nil
	}
	if _, err := r.ReadAt(footer[:], size-tableFooter); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(footer[5:]) != tableMagic {
		return nil, nil
	}
	n, entry := int64(binary.LittleEndian.Uint32(footer[:])), int64(TableEntry-4)
	if footer[4]&^checksums != 0 { // decoders ignore two of these bits, and no writer sets them
		return nil, &TableError{fmt.Errorf("it has the flags %#02x, and only %#02x is known", footer[4], checksums)}
	}
	if footer[4]&checksums != 0 {
		entry = TableEntry // with a checksum
	}
	length := tableHeader + n*entry + tableFooter
	if n > maxFrames || length > size {
		return nil, &TableError{fmt.Errorf("it has %d frames", n)}
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, size-length); err != nil {
		return nil, err
	}
	t, err := seekable.NewSeekTable(b)
	if err != nil {
		return nil, &TableError{err}
	}
	var end uint64
	if last, ok := t.EntryByID(n - 1); ok {
		end = last.CompressedOffset + uint64(last.CompressedSize)
	}
	for n := range t.NumFrames() {
		if e, _ := t.EntryByID(n); e.CompressedSize == 0 || e.DecompressedSize == 0 {
			return nil, &TableError{fmt.Errorf("its frame %d is empty", n)}
		}
	}
	if t.Size()/MaxRatio > uint64(size)+1<<20 {
		return nil, &TableError{fmt.Errorf("its %d bytes announce %d", size, t.Size())}
	}
	if end != uint64(size-length) {
		return nil, &TableError{fmt.Errorf("its frames end at byte %d, it begins at %d", end, size-length)}
	}
	return t, nil
}

// ErrNoTable is a file of several frames without a table, or one that begins with no frame.
var ErrNoTable = errors.New("it has no seek table and is not one zstd frame: " +
	"it is truncated, or another program compressed it")

// TableError is a seek table that does not describe its file.
type TableError struct{ Err error }

func (e *TableError) Error() string { return "the seek table is damaged: " + e.Err.Error() }

func (e *TableError) Unwrap() error { return e.Err }

// FrameError is a frame whose bytes are not those that were written.
type FrameError struct {
	From, To int64 // bytes of the file
	Err      error
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("between bytes %d and %d: %v", e.From, e.To, e.Err)
}

func (e *FrameError) Unwrap() error { return e.Err }
