package layer

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// format changes whenever equal entries would give other bytes than before: another compressor for
// zstd, other headers.
const format = 3

// Write puts a layer into the store, in one pass over its files, and returns its descriptor.
// The entries may come in any order; of two with one path the later counts. A layer that the same
// entries made before is not written again.
//
// Errors: a path that is not absolute and clean, a hard link to a path that is not in the layer,
// a name that Windows cannot have, content that does not fit its size or digest.
func Write(ctx context.Context, st *store.Store, entries []Entry, o Options) (Layer, error) {
	if o.OS == "" {
		o.OS = platform.Linux
	}
	if o.Compression == "" {
		o.Compression = Gzip
	}
	if o.Compression != Gzip {
		o.Series = "" // zstd has no blocks of its own
	}
	all, err := arrange(entries, o.OS)
	if err != nil {
		return Layer{}, fmt.Errorf("writing layer: %w", err)
	}
	key, known := fingerprint(all, o)
	if !known {
		return limited(ctx, st, all, o)
	}
	// The children of an index ask for the same layer at the same time: one writes it, the others
	// wait.
	l, err, _ := flights.Do(st.Dir()+"\n"+key, func() (any, error) {
		whole := func(l Layer) bool { return st.HasAll(l.Digest, l.Size) }
		return store.Remember(st, "layer", key, whole, func() (Layer, error) {
			return limited(ctx, st, all, o)
		})
	})
	if err != nil {
		return Layer{}, err
	}
	return l.(Layer), nil
}

var flights singleflight.Group

// writers bounds how many layers are written at a time. Each is compressed on all cores; a second
// one keeps them busy while the first reads or syncs, and more would only take memory.
var writers = semaphore.NewWeighted(2)

func limited(ctx context.Context, st *store.Store, entries []Entry, o Options) (Layer, error) {
	if err := writers.Acquire(ctx, 1); err != nil {
		return Layer{}, err
	}
	defer writers.Release(1)
	stop := Measure()
	l, err := write(ctx, st, entries, o)
	if l.Seconds += stop(); err != nil {
		return Layer{}, fmt.Errorf("writing layer: %w", err)
	}
	return l, nil
}

// fingerprint names everything that decides the bytes of a layer, if all contents have digests.
func fingerprint(entries []Entry, o Options) (key string, known bool) {
	all := sha256.New() // a million lines are not kept
	b := bufio.NewWriter(all)
	for _, e := range entries {
		if e.Type == Regular && e.Content.Digest.Hex == "" {
			return "", false
		}
		// Names are quoted byte by byte: not every one is UTF-8, and JSON has no others.
		_, err := fmt.Fprintf(b, "%q %d %o %d %d %q %d %s %d %x\n", e.Path, e.Type, uint32(e.Mode), e.UID, e.GID,
			e.Linkname, modTime(e, o).UnixNano(), e.Content.Digest, e.Content.Size, e.Capability)
		if err != nil {
			return "", false
		}
	}
	if b.Flush() != nil {
		return "", false
	}
	return fmt.Sprintf("%d.%d %s %s %s", format, deflate.Format, o.OS, o.Compression, oci.Sum(all)), true
}

func modTime(e Entry, o Options) time.Time {
	t := e.ModTime
	if t.IsZero() {
		t = o.ModTime
	}
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return t.UTC()
}

func write(ctx context.Context, st *store.Store, entries []Entry, o Options) (Layer, error) {
	blob, err := st.Create()
	if err != nil {
		return Layer{}, err
	}
	defer blob.Abort()
	known := deflate.Open(st, o.Series)
	defer known.Close()
	buffered := bufio.NewWriterSize(blob, 1<<20)
	z, err := compress(buffered, o.Compression, known)
	if err != nil {
		return Layer{}, err
	}
	diff := sha256.New()
	t := tar.NewWriter(io.MultiWriter(z, diff))
	if err := writeEntries(ctx, t, z.blocks, entries, o); err != nil {
		z.Close() // ends its goroutines; the blob is dropped
		return Layer{}, err
	}
	if err := errors.Join(t.Close(), z.Close(), buffered.Flush()); err != nil {
		return Layer{}, err
	}
	digest, size, err := blob.Commit()
	if err != nil {
		return Layer{}, err
	}
	return Layer{
		MediaType: z.mediaType, Digest: digest, Size: size, DiffID: oci.Sum(diff), Seconds: z.blocks.Taken(),
	}, known.Record(digest, z.blocks)
}

func writeEntries(ctx context.Context, t *tar.Writer, blocks *deflate.Writer, entries []Entry, o Options) error {
	if o.OS == platform.Windows {
		if err := writeRoots(t, o); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := t.WriteHeader(header(e, o)); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		if e.Type != Regular {
			continue
		}
		blocks.CutFile(e.Content.Size)
		if err := copyContent(ctx, t, e.Content); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		blocks.CutFile(e.Content.Size)
	}
	return nil
}

// comparing is a reader that ends with an error unless its bytes have a digest.
type comparing interface{ Compares(h v1.Hash) bool }

func copyContent(ctx context.Context, w io.Writer, c Content) error {
	if c.Size == 0 && c.Open == nil {
		return nil
	}
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	got := sha256.New()
	at, compares := r.(comparing)
	compares = compares && at.Compares(c.Digest)
	if !compares {
		w = io.MultiWriter(w, got)
	}
	var n int64
	if c.Size > 0 {
		n, err = io.Copy(w, progress.Reader(ctx, r, nil))
	} else if err = ctx.Err(); err == nil { // without a buffer for each of many empty files
		var b [1]byte
		n, err = nothing(r, b[:])
	}
	switch {
	case err != nil:
		return err
	case n != c.Size:
		return fmt.Errorf("the content has %d bytes, %d were announced: it changed while it was read", n, c.Size)
	case !compares && c.Digest.Hex != "" && oci.Sum(got) != c.Digest:
		return fmt.Errorf("the content has digest %s, %s was announced: it changed while it was read",
			oci.Sum(got), c.Digest)
	}
	return nil
}

// nothing reads what should be empty, and returns whether it is: 0 or 1.
func nothing(r io.Reader, b []byte) (int64, error) {
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return int64(n), err
}

type compressor struct {
	io.WriteCloser

	mediaType types.MediaType
	blocks    *deflate.Writer // nil for zstd
}

func compress(w io.Writer, c Compression, known *deflate.Known) (compressor, error) {
	switch c {
	case Gzip:
		z := deflate.NewGzip(w, known)
		return compressor{z, types.OCILayer, z.Writer}, nil
	case Zstd:
		// A window of 8 MiB is what every reader accepts.
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(8<<20))
		return compressor{z, types.OCILayerZStd, nil}, err
	}
	return compressor{}, fmt.Errorf("unknown compression %q: use gzip or zstd", c)
}

// SpecialBits are the bits of a mode that tar has outside of the permissions.
var SpecialBits = map[int64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky}
