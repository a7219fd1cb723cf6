package bundletest

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// Frame is an entry of a forged seek table: the bytes of the file, and what they decompress to as
// the table has it.
type Frame struct{ Compressed, Decompressed []byte }

// WithTable returns a file of frames, with other bytes before and behind them, and a table that
// lists the frames.
func WithTable(frames []Frame, before, behind []byte) []byte {
	file := slices.Clone(before)
	var table []byte
	for _, f := range frames {
		file = append(file, f.Compressed...)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(f.Compressed)))
		table = binary.LittleEndian.AppendUint32(table, uint32(len(f.Decompressed)))
		table = binary.LittleEndian.AppendUint32(table, uint32(xxhash.Sum64(f.Decompressed)))
	}
	file = append(file, behind...)
	file = binary.LittleEndian.AppendUint32(file, 0x184D2A5E)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(table)+9))
	file = append(file, table...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(frames)))
	file = append(file, 0x80)
	return binary.LittleEndian.AppendUint32(file, 0x8F92EAB1)
}

// Zstd returns one frame, which may be empty.
func Zstd(tb testing.TB, raw []byte, o ...zstd.EOption) []byte {
	tb.Helper()
	z, err := zstd.NewWriter(nil, append(o, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))...)
	if err != nil {
		tb.Fatal(err)
	}
	return z.EncodeAll(raw, nil)
}
