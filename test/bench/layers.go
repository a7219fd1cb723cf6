package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"syscall"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/image/deflate"
)

// way is a way to compress layers and to read them as container runtimes do.
type way struct {
	name  string
	write func(io.Writer) (io.WriteCloser, error)
	read  func(io.Reader) (io.Reader, error)
}

// window is the window size of image/layer.
const window = 8 << 20

var ways = func() []way {
	all := []way{{
		name:  "gzip, as layers are now",
		write: func(w io.Writer) (io.WriteCloser, error) { return deflate.NewGzip(w, nil), nil },
		read:  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	}}
	for _, l := range []zstd.EncoderLevel{zstd.SpeedDefault, zstd.SpeedBetterCompression, zstd.SpeedBestCompression} {
		all = append(all, way{
			name: "zstd " + l.String(),
			write: func(w io.Writer) (io.WriteCloser, error) {
				return zstd.NewWriter(w, zstd.WithEncoderLevel(l), zstd.WithWindowSize(window))
			},
			read: func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
		})
	}
	return all
}()

// compress compares ways to compress the layers of the release, which a build does before
// anything can be packed. The measure is CPU seconds, which do not depend on the machine's other
// load.
func (b *bench) compress(ctx context.Context) (comparison, error) {
	err := b.layers(ctx)
	return b.compressed, err
}

// unpack compares the time to read the compressed layers of the release as
// containerd and docker do.
func (b *bench) unpack(ctx context.Context) (comparison, error) {
	err := b.layers(ctx)
	return b.uncompressed, err
}

// layers compresses every layer of the release in every way and reads it again. One run serves
// both parts.
func (b *bench) layers(ctx context.Context) error {
	if b.compressed.title != "" {
		return nil
	}
	l, st, err := readRelease(b.dist, b.store)
	if err != nil {
		return err
	}
	var list []v1.Layer
	seen := map[v1.Hash]bool{}
	for _, i := range l.Images {
		for _, child := range i.Children {
			img, err := st.Image(child.Digest)
			if err != nil {
				return err
			}
			all, err := img.Layers()
			if err != nil {
				return err
			}
			for _, layer := range all {
				d, err := layer.Digest()
				if err != nil {
					return err
				}
				if !seen[d] {
					seen[d] = true
					list = append(list, layer)
				}
			}
		}
	}
	var raw int64
	made, read := make([]figure, len(ways)), make([]figure, len(ways))
	for _, layer := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := layer.Uncompressed()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r) // so that only the compression is timed
		r.Close()
		if err != nil {
			return err
		}
		raw += int64(len(data))
		for n, w := range ways {
			if err := w.measure(data, &made[n], &read[n]); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	b.compressed = comparison{title: fmt.Sprintf("Compressing the %d layers of the release (%d "+
		"bytes of tar), seconds of processor", len(list), raw), ours: made[0], other: made[1:]}
	b.uncompressed = comparison{title: "Reading them again, seconds of processor", ours: read[0], other: read[1:]}
	return nil
}

func (w way) measure(data []byte, made, read *figure) error {
	made.name, read.name = w.name, w.name
	var out bytes.Buffer
	start := processor()
	z, err := w.write(&out)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	made.seconds += processor() - start
	made.bytes += int64(out.Len())
	read.bytes += int64(out.Len())
	start = processor()
	r, err := w.read(&out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	read.seconds += processor() - start
	return nil
}

// processor returns the CPU seconds that this program has used.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
