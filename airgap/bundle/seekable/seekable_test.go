package seekable_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// part is what one frame or more of a file come from.
type part struct {
	data   []byte
	stored bool
}

// parts are a text, bytes that do not compress and fill more than one stored frame, and a text.
func parts() []part {
	noise := make([]byte, 2*seekable.StoredFrame+100)
	rand.NewChaCha8([32]byte{}).Read(noise) //nolint:errcheck // it has no errors
	return []part{{bytes.Repeat([]byte("text "), 2000), false}, {noise, true}, {[]byte("end"), false}}
}

// write returns the file of some parts, and what it has decompressed.
func write(tb testing.TB, parts []part) (file, raw []byte) {
	tb.Helper()
	enc, err := seekable.NewEncoders()
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	err = seekable.Write(tb.Context(), &out, enc, func(w *seekable.Writer) error {
		for _, p := range parts {
			if err := w.EndFrame(p.stored); err != nil {
				return err
			}
			for chunk := range bytes.Lines(p.data) {
				if _, err := w.Write(chunk); err != nil {
					return err
				}
			}
			raw = append(raw, p.data...)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes(), raw
}

// open returns a reader that has read the table.
func open(tb testing.TB, file []byte) *seekable.Reader {
	tb.Helper()
	r := seekable.NewReader(bytes.NewReader(file), int64(len(file)))
	if err := r.ReadTable(); err != nil || !r.HasTable() {
		tb.Fatalf("no table: %v", err)
	}
	return r
}

// oneFrame returns the file that zstd itself makes.
func oneFrame(tb testing.TB, raw []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	if err == nil {
		_, err = z.Write(raw)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func readFrom(r *seekable.Reader, off int64) ([]byte, error) {
	s, err := r.From(off)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return io.ReadAll(s)
}

// TestSeek reads a file from many places on, with its table and without.
func TestSeek(t *testing.T) {
	file, raw := write(t, parts())
	r := open(t, file)
	if r.Size() != uint64(len(raw)) {
		t.Errorf("%d bytes, not %d", r.Size(), len(raw))
	}
	single := oneFrame(t, raw)
	without := seekable.NewReader(bytes.NewReader(single), int64(len(single)))
	if err := without.ReadTable(); err != nil || without.HasTable() {
		t.Errorf("a file of one frame has a table, %v", err)
	}
	z, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if all, err := io.ReadAll(z); err != nil || !bytes.Equal(all, raw) {
		t.Errorf("zstd reads %d bytes, %v", len(all), err)
	}
	first := int64(len(parts()[0].data))
	for _, off := range []int64{
		0, 1, first - 1, first, first + seekable.StoredFrame, int64(len(raw)) - 4,
		int64(len(raw)) - 1,
	} {
		for _, from := range []*seekable.Reader{r, without} {
			if got, err := readFrom(from, off); err != nil || !bytes.Equal(got, raw[off:]) {
				t.Errorf("from %d (table %v): %d bytes, %v", off, from.HasTable(), len(got), err)
			}
		}
	}
	if _, err := readFrom(r, int64(len(raw))+1); err == nil {
		t.Error("a place behind the end is read")
	}
}

// TestFrames: each part begins a frame, and a stored frame has at most its size.
func TestFrames(t *testing.T) {
	file, raw := write(t, parts())
	r := open(t, file)
	var ends []int64
	for off := int64(0); off < int64(len(raw)); {
		begin, end, ok := r.Frame(off)
		if !ok || begin != off {
			t.Fatalf("the frame at %d is from %d to %d, %v", off, begin, end, ok)
		}
		if s, err := r.Between(begin, end); err != nil {
			t.Error(err)
		} else if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, raw[begin:end]) {
			t.Errorf("frame %d to %d: %d bytes, %v", begin, end, len(got), err)
		}
		ends = append(ends, end)
		off = end
	}
	first := int64(len(parts()[0].data))
	if want := []int64{
		first, first + seekable.StoredFrame, first + 2*seekable.StoredFrame,
		first + 2*seekable.StoredFrame + 100, int64(len(raw)),
	}; !slices.Equal(ends, want) {
		t.Errorf("frames end at %v, want %v", ends, want)
	}
	n, size := r.Frames(0, int64(len(raw)))
	if table := int64(len(ends))*seekable.TableEntry + 8 + 9; n != int64(len(ends)) || size != int64(len(file))-table {
		t.Errorf("%d frames of %d bytes in a file of %d", n, size, len(file))
	}
	var damaged *seekable.TableError
	if _, err := r.Between(0, first-1); !errors.As(err, &damaged) {
		t.Errorf("half a frame: %v", err)
	}
}

// TestDamage changes one byte at a time: a change of a frame is found, with its place, or makes no
// difference to what is read.
func TestDamage(t *testing.T) {
	extent.Plain(t)
	file, raw := write(t, []part{
		{bytes.Repeat([]byte("text "), 100), false},
		{bytes.Repeat([]byte{1, 2, 3, 250}, 50), true},
		{[]byte("end"), false},
	})
	r := open(t, file)
	_, size := r.Frames(0, int64(len(raw)))
	for at := range file[:size] {
		bad := bytes.Clone(file)
		bad[at] ^= 0x10
		got, err := readFrom(open(t, bad), 0)
		var frame *seekable.FrameError
		if !errors.As(err, &frame) && (err != nil || !bytes.Equal(got, raw)) {
			t.Fatalf("byte %d: %d bytes, %v", at, len(got), err)
		}
		if frame != nil && (int64(at) < frame.From || int64(at) >= frame.To) {
			t.Errorf("byte %d is found between %d and %d", at, frame.From, frame.To)
		}
	}
}

// TestTable reads tables that do not describe their file.
func TestTable(t *testing.T) {
	file, _ := write(t, parts()[2:])
	footer := func(change func(b []byte)) []byte {
		b := bytes.Clone(file)
		change(b[len(b)-9:])
		return b
	}
	for what, bad := range map[string][]byte{
		"many frames":       footer(func(b []byte) { binary.LittleEndian.PutUint32(b, 1<<30) }),
		"one frame more":    footer(func(b []byte) { b[0]++ }),
		"without checksums": footer(func(b []byte) { b[4] = 0 }),
		"an unused flag":    footer(func(b []byte) { b[4] |= 1 }),
		"a reserved flag":   footer(func(b []byte) { b[4] |= 4 }),
		"a byte before":     append([]byte{0}, file...),
		"a frame that is large": func() []byte {
			b := bytes.Clone(
				file)
			b[len(b)-9-seekable.TableEntry]++
			return b
		}(),
		"too much in it": func() []byte { b := bytes.Clone(file); b[len(b)-9-5] = 0xff; return b }(),
	} {
		r := seekable.NewReader(bytes.NewReader(bad), int64(len(bad)))
		var damaged *seekable.TableError
		if err := r.ReadTable(); !errors.As(err, &damaged) || r.HasTable() {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, none := range map[string][]byte{"empty": nil, "short": file[len(file)-9:], "cut": file[:len(file)-1]} {
		r := seekable.NewReader(bytes.NewReader(none), int64(len(none)))
		if err := r.ReadTable(); (err != nil || len(none) > 0) && !errors.Is(err, seekable.ErrNoTable) || r.HasTable() {
			t.Errorf("%s: %v, table %v", what, err, r.HasTable())
		}
	}
}

// TestStops ends writing by the context, by what fills the file, and by the file.
func TestStops(t *testing.T) {
	enc, err := seekable.NewEncoders()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	endless := func(w *seekable.Writer) error {
		for {
			cancel()
			if _, err := w.Write(make([]byte, seekable.StoredFrame)); err != nil {
				return err
			}
		}
	}
	if err := seekable.Write(ctx, io.Discard, enc, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	full := errors.New("disk full")
	if err := seekable.Write(t.Context(), failing{full}, enc, endless); !errors.Is(err, full) {
		t.Errorf("the file cannot be written: %v", err)
	}
	if err := seekable.Write(t.Context(), io.Discard, enc, func(*seekable.Writer) error {
		return full
	}); !errors.Is(err, full) {
		t.Errorf("the content cannot be read: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzRead reads any file, with and without its table: what is read in pieces is what is read at
// once.
func FuzzRead(f *testing.F) {
	file, _ := write(f, []part{{bytes.Repeat([]byte("text "), 20), false}, {[]byte("stored"), true}})
	f.Add(file, int64(3))
	f.Add(file[:len(file)-1], int64(0))
	f.Add([]byte("\x28\xb5\x2f\xfd"), int64(1))
	f.Fuzz(func(t *testing.T, file []byte, off int64) {
		r := seekable.NewReader(bytes.NewReader(file), int64(len(file)))
		if r.ReadTable() != nil || !r.HasTable() || r.Size() > 1<<20 || off < 0 {
			return
		}
		all, err := readFrom(r, 0)
		if err != nil || off >= int64(len(all)) {
			return
		}
		if part, err := readFrom(r, off); err != nil || !bytes.Equal(part, all[off:]) {
			t.Errorf("from %d: %d bytes, %v", off, len(part), err)
		}
	})
}

// TestCloseWhileRead closes a reader in the middle of a Read, as net/http closes the body of a
// request: Close waits, and only then has another reader the decoder.
func TestCloseWhileRead(t *testing.T) {
	file, raw := write(t, parts())
	single := oneFrame(t, raw)
	for _, f := range [][]byte{file, single} {
		src := &stopping{ReaderAt: bytes.NewReader(f), reached: make(chan struct{}), goOn: make(chan struct{})}
		r := seekable.NewReader(src, int64(len(f)))
		if err := r.ReadTable(); err != nil {
			t.Fatal(err)
		}
		s, err := r.From(0)
		if err != nil {
			t.Fatal(err)
		}
		src.on.Store(true)
		read, closed := make(chan error, 1), make(chan struct{})
		go func() {
			_, err := io.Copy(io.Discard, s)
			read <- err
		}()
		<-src.reached
		go func() {
			s.Close() // as net/http does
			close(closed)
		}()
		for range 1000 {
			runtime.Gosched()
		}
		select {
		case <-closed:
			t.Errorf("table %v: the reader was closed while it was read", r.HasTable())
		default:
		}
		src.on.Store(false)
		close(src.goOn)
		<-closed
		if err := <-read; err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("table %v: %v", r.HasTable(), err)
		}
		if n, err := s.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrClosed) {
			t.Errorf("table %v: Read after Close: %d, %v", r.HasTable(), n, err)
		}
	}
}

// stopping stops in ReadAt once it is on.
type stopping struct {
	io.ReaderAt
	on            atomic.Bool
	once          sync.Once
	reached, goOn chan struct{}
}

func (s *stopping) ReadAt(p []byte, off int64) (int, error) {
	if s.on.Load() {
		s.once.Do(func() {
			close(s.reached)
			<-s.goOn
		})
	}
	return s.ReaderAt.ReadAt(p, off)
}
