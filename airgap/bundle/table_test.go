package bundle_test

import (
	"encoding/binary"
	"io"
	"testing"

	zseek "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
)

// The parts of a seek table that is made by hand.
const (
	tableHeader = 8
	tableFooter = 9
	maxFrames   = 1 << 20 // that a reader accepts
)

// seekTable reads the seek table of a good bundle.
func seekTable(tb testing.TB, r *io.SectionReader) *zseek.SeekTable {
	tb.Helper()
	var footer [tableFooter]byte
	if _, err := r.ReadAt(footer[:], r.Size()-tableFooter); err != nil {
		tb.Fatal(err)
	}
	b := make([]byte, tableHeader+12*int(binary.LittleEndian.Uint32(footer[:]))+tableFooter)
	if _, err := r.ReadAt(b, r.Size()-int64(len(b))); err != nil {
		tb.Fatal(err)
	}
	table, err := zseek.NewSeekTable(b)
	if err != nil {
		tb.Fatal(err)
	}
	return table
}
