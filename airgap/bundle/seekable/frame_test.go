package seekable_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// entry is a frame with what the table says of it.
func entry(compressed, decompressed []byte) bundletest.Frame {
	return bundletest.Frame{Compressed: compressed, Decompressed: decompressed}
}

// skippable returns a frame that decoders pass over.
func skippable(content string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x184D2A50)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(content))), content...)
}

// TestOneReading: what is read by the table is what a decoder reads from the start on, or it is
// refused. Each forgery is a file that zstd decompresses without an error.
func TestOneReading(t *testing.T) {
	a, b := bytes.Repeat([]byte("a"), 1000), bytes.Repeat([]byte("b"), 2000)
	fa, fb, evil, empty := bundletest.Zstd(t, a), bundletest.Zstd(t, b),
		bundletest.Zstd(t, bytes.Repeat([]byte("evil"), 100)), bundletest.Zstd(t, nil)
	good := []bundletest.Frame{entry(fa, a), entry(fb, b)}
	for what, test := range map[string]struct {
		file []byte
		ok   bool
	}{
		"the form of slipway": {bundletest.WithTable(good, nil, nil), true},
		"a hidden frame, between": {
			bundletest.WithTable([]bundletest.Frame{good[0], entry(evil, nil), good[1]}, nil, nil), false,
		},
		"a hidden frame, at the start": {
			bundletest.WithTable([]bundletest.Frame{entry(evil, nil), good[0], good[1]}, nil, nil), false,
		},
		"a hidden frame, at the end": {
			bundletest.WithTable([]bundletest.Frame{good[0], good[1], entry(evil, nil)}, nil, nil), false,
		},
		"an empty frame": {
			bundletest.WithTable([]bundletest.Frame{good[0], entry(empty, nil), good[1]}, nil, nil), false,
		},
		"a skippable frame as an entry": {
			bundletest.WithTable([]bundletest.Frame{good[0], entry(skippable("x"), nil), good[1]}, nil, nil), false,
		},
		"a frame before the first":           {bundletest.WithTable(good, evil, nil), false},
		"a frame behind the last":            {bundletest.WithTable(good, nil, evil), false},
		"a skippable frame before the table": {bundletest.WithTable(good, nil, skippable("x")), false},
		"two frames in an entry": {bundletest.WithTable(
			[]bundletest.Frame{entry(slices.Concat(fa, fb), slices.Concat(a, b))}, nil, nil), false},
		"a skippable frame in an entry": {bundletest.WithTable(
			[]bundletest.Frame{entry(slices.Concat(fa, skippable("x")), a), good[1]}, nil, nil), false},
		"an empty frame in an entry": {
			bundletest.WithTable([]bundletest.Frame{entry(slices.Concat(empty, fa), a), good[1]}, nil, nil), false,
		},
		"a frame larger than its entry": {bundletest.WithTable([]bundletest.Frame{entry(fa, a[:999]), good[1]},
			nil, nil), false},
		"entries in another order": {bundletest.WithTable([]bundletest.Frame{entry(fa, b), entry(fb, a)},
			nil, nil), false},
		"bytes behind the table": {append(bundletest.WithTable(good, nil, nil), skippable("x")...), false},
		"a second table": {append(bundletest.WithTable(good, nil, nil),
			bundletest.WithTable(nil, nil, nil)...), false},
		"one frame, no table":           {fa, true},
		"two frames, no table":          {slices.Concat(fa, fb), false},
		"a skippable frame, no table":   {slices.Concat(fa, skippable("x")), false},
		"one frame cut short, no table": {fa[:len(fa)-1], false},
	} {
		got, err := readAll(test.file)
		if (err == nil) != test.ok {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
		if oracle, bad := sequential(test.file); err == nil && (bad != nil || !bytes.Equal(got, oracle)) {
			t.Errorf("%s: %d bytes by the table, %d from the start, %v", what, len(got), len(oracle), bad)
		}
	}
}

// readAll reads a file as a bundle is read.
func readAll(file []byte) ([]byte, error) {
	r := seekable.NewReader(bytes.NewReader(file), int64(len(file)))
	if err := r.ReadTable(); err != nil {
		return nil, err
	}
	return readFrom(r, 0)
}

// sequential reads a file as most programs do.
func sequential(file []byte) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(file), zstd.WithDecoderMaxMemory(1<<26))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(z)
}

// TestHeaders: frames with every form of header are one frame.
func TestHeaders(t *testing.T) {
	for _, size := range []int{1, 255, 256, 300, 65_791, 65_792, 1 << 20} {
		for what, o := range map[string][]zstd.EOption{
			"plain": nil, "single segment": {zstd.WithSingleSegment(true)},
			"without checksum": {zstd.WithEncoderCRC(false)},
			"raw blocks":       {zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithNoEntropyCompression(true)},
		} {
			raw := bytes.Repeat([]byte{byte(size), 7, 9}, size/3+1)[:size]
			file := bundletest.WithTable([]bundletest.Frame{entry(bundletest.Zstd(t, raw, o...), raw)}, nil, nil)
			if got, err := readAll(file); err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%s of %d: %d bytes, %v", what, size, len(got), err)
			}
		}
	}
	var damaged *seekable.FrameError
	dict := bundletest.Zstd(t, []byte("text"))
	dict[4] |= 1 // it names a dictionary
	if _, err := readAll(bundletest.WithTable([]bundletest.Frame{entry(dict, []byte("text"))}, nil,
		nil)); !errors.As(err, &damaged) {
		t.Errorf("with a dictionary: %v", err)
	}
}

// FuzzOneReading: a file that is read by its table, with any frames and any bytes between them, is
// read the same from its start.
func FuzzOneReading(f *testing.F) {
	text := bytes.Repeat([]byte("text "), 100)
	frame := bundletest.Zstd(f, text)
	f.Add(frame, uint32(len(text)), frame, uint32(len(text)), []byte(nil))
	f.Add(frame, uint32(len(text)), frame, uint32(0), []byte(nil))
	f.Add(slices.Concat(frame, skippable("x")), uint32(len(text)), frame, uint32(len(text)), skippable("y"))
	f.Add(bundletest.Zstd(f, nil), uint32(0), slices.Concat(frame, frame), uint32(2*len(text)), bundletest.Zstd(f, nil))
	f.Fuzz(func(t *testing.T, one []byte, n uint32, two []byte, m uint32, between []byte) {
		if n > 1<<20 || m > 1<<20 {
			return
		}
		content := func(frame []byte, n uint32) []byte { // so that its checksum is right where it can be
			b, err := sequential(frame)
			if err != nil || len(b) > 1<<20 {
				b = nil
			}
			return append(b, make([]byte, n)...)[:n]
		}
		file := bundletest.WithTable([]bundletest.Frame{entry(one, content(one, n)), entry(two, content(two, m))},
			nil, between)
		for _, file := range [][]byte{file, slices.Concat(one, between)} {
			if len(file) > 0 && file[0] != 0x28 { // what does not begin with a frame is not a bundle
				continue
			}
			got, err := readAll(file)
			if err != nil {
				continue
			}
			if oracle, bad := sequential(file); bad != nil || !bytes.Equal(got, oracle) {
				t.Errorf("%d bytes by the table, %d from the start, %v", len(got), len(oracle), bad)
			}
		}
	})
}
