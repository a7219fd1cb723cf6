package gzipped

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

const (
	// header names deflate, no time, and no operating system.
	header = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	// HeaderSize is how many bytes precede the first block.
	HeaderSize = len(header)
	// Final is the last block, which is empty.
	Final = "\x03\x00"
)

// Writer writes a file of blocks that were made before, in their order.
type Writer struct {
	w         io.Writer
	begun     bool
	crc, size uint32
}

// NewWriter returns a writer of one file.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Sum counts the next contents. Calls may run ahead of Write, in another goroutine; Close runs
// after both.
func (w *Writer) Sum(raw []byte) {
	w.crc = crc32.Update(w.crc, crc32.IEEETable, raw)
	w.size += uint32(len(raw))
}

// Write writes the next blocks, such as [Deflate] and [Store] make.
func (w *Writer) Write(blocks []byte) (int, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	return w.w.Write(blocks)
}

// Close ends the file, and does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32([]byte(Final), w.crc)
	_, err := w.w.Write(binary.LittleEndian.AppendUint32(end, w.size))
	return err
}

func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	_, err := io.WriteString(w.w, header)
	return err
}
