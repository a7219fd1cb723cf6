package seekable_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/bundle/seekable"
)

// entry is a line of a forged seek table, and the bytes that it stands for.
type entry struct {
	compressed   []byte
	decompressed []byte // as the table has it
}

// forge writes a file of entries with a valid table.
func forge(entries []entry, before, behind []byte) []byte {
	file := slices.Clone(before)
	var table []byte
	for _, e := range entries {
		file = append(file, e.compressed...)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(e.compressed)))
		table = binary.LittleEndian.AppendUint32(table, uint32(len(e.decompressed)))
		table = binary.LittleEndian.AppendUint32(table, uint32(xxhash.Sum64(e.decompressed)))
	}
	file = append(file, behind...)
	file = binary.LittleEndian.AppendUint32(file, 0x184D2A5E)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(table)+9))
	file = append(file, table...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(entries)))
	file = append(file, 0x80)
	return binary.LittleEndian.AppendUint32(file, 0x8F92EAB1)
}

// compress returns a frame.
func compress(tb testing.TB, raw []byte, o ...zstd.EOption) []byte {
	tb.Helper()
	z, err := zstd.NewWriter(nil, append(o, zstd.WithZeroFrames(true))...)
	if err != nil {
		tb.Fatal(err)
	}
	return z.EncodeAll(raw, nil)
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
	fa, fb, evil, empty := compress(t, a), compress(t, b), compress(t, bytes.Repeat([]byte("evil"), 100)), compress(t, nil)
	good := []entry{{fa, a}, {fb, b}}
	for what, test := range map[string]struct {
		file []byte
		ok   bool
	}{
		"the form of slipway":                {forge(good, nil, nil), true},
		"a hidden frame, between":            {forge([]entry{good[0], {evil, nil}, good[1]}, nil, nil), false},
		"a hidden frame, at the start":       {forge([]entry{{evil, nil}, good[0], good[1]}, nil, nil), false},
		"a hidden frame, at the end":         {forge([]entry{good[0], good[1], {evil, nil}}, nil, nil), false},
		"an empty frame":                     {forge([]entry{good[0], {empty, nil}, good[1]}, nil, nil), false},
		"a skippable frame as an entry":      {forge([]entry{good[0], {skippable("x"), nil}, good[1]}, nil, nil), false},
		"a frame before the first":           {forge(good, evil, nil), false},
		"a frame behind the last":            {forge(good, nil, evil), false},
		"a skippable frame before the table": {forge(good, nil, skippable("x")), false},
		"two frames in an entry":             {forge([]entry{{slices.Concat(fa, fb), slices.Concat(a, b)}}, nil, nil), false},
		"a skippable frame in an entry":      {forge([]entry{{slices.Concat(fa, skippable("x")), a}, good[1]}, nil, nil), false},
		"an empty frame in an entry":         {forge([]entry{{slices.Concat(empty, fa), a}, good[1]}, nil, nil), false},
		"a frame larger than its entry":      {forge([]entry{{fa, a[:999]}, good[1]}, nil, nil), false},
		"entries in another order":           {forge([]entry{{fa, b}, {fb, a}}, nil, nil), false},
		"bytes behind the table":             {append(forge(good, nil, nil), skippable("x")...), false},
		"a second table":                     {append(forge(good, nil, nil), forge(nil, nil, nil)...), false},
		"one frame, no table":                {fa, true},
		"two frames, no table":               {slices.Concat(fa, fb), false},
		"a skippable frame, no table":        {slices.Concat(fa, skippable("x")), false},
		"one frame cut short, no table":      {fa[:len(fa)-1], false},
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
			"plain": nil, "single segment": {zstd.WithSingleSegment(true)}, "without checksum": {zstd.WithEncoderCRC(false)},
			"raw blocks": {zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithNoEntropyCompression(true)},
		} {
			raw := bytes.Repeat([]byte{byte(size), 7, 9}, size/3+1)[:size]
			file := forge([]entry{{compress(t, raw, o...), raw}}, nil, nil)
			if got, err := readAll(file); err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%s of %d: %d bytes, %v", what, size, len(got), err)
			}
		}
	}
	var damaged *seekable.FrameError
	dict := compress(t, []byte("text"))
	dict[4] |= 1 // it names a dictionary
	if _, err := readAll(forge([]entry{{dict, []byte("text")}}, nil, nil)); !errors.As(err, &damaged) {
		t.Errorf("with a dictionary: %v", err)
	}
}

// FuzzOneReading: a file that is read by its table, with any frames and any bytes between them, is
// read the same from its start.
func FuzzOneReading(f *testing.F) {
	text := bytes.Repeat([]byte("text "), 100)
	frame := compress(f, text)
	f.Add(frame, uint32(len(text)), frame, uint32(len(text)), []byte(nil))
	f.Add(frame, uint32(len(text)), frame, uint32(0), []byte(nil))
	f.Add(slices.Concat(frame, skippable("x")), uint32(len(text)), frame, uint32(len(text)), skippable("y"))
	f.Add(compress(f, nil), uint32(0), slices.Concat(frame, frame), uint32(2*len(text)), compress(f, nil))
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
		file := forge([]entry{{one, content(one, n)}, {two, content(two, m)}}, nil, between)
		for _, file := range [][]byte{file, slices.Concat(one, between)} {
			if len(file) > 0 && file[0] != 0x28 { // what does not begin with a frame is no bundle
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
