package bundle

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Opener opens a blob for reading. Opening or reading it fails if the bytes do not have the
// digest.
type Opener func(v1.Hash) (io.ReadCloser, error)

// Writer writes bundles. Several goroutines may use it.
type Writer struct {
	open Opener
	enc  *seekable.Encoders
}

// NewWriter returns a writer of bundles whose blobs open gives.
func NewWriter(open Opener) (*Writer, error) {
	enc, err := seekable.NewEncoders()
	return &Writer{open, enc}, err
}

// Write writes a bundle to path, and unless gz is "" the same archive as gzip to gz. Every blob
// is read once. The files have their names only when all are complete and accept, which may be
// nil, has no objection.
func (w *Writer) Write(ctx context.Context, l *Layout, path, gz string, task *progress.Task,
	accept func(*File) error,
) (*File, error) {
	out, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	f := &File{Path: path, Contents: l.Contents}
	to, twin := newSink(out), (*sink)(nil)
	var gzipFile *disk.File
	if gz != "" {
		if gzipFile, err = disk.Create(filepath.Dir(gz)); err != nil {
			return nil, err
		}
		defer gzipFile.Abort()
		twin = newSink(gzipFile)
	}
	if err := w.stream(ctx, to, twin, l, task); err != nil {
		return nil, err
	}
	f.Size, f.SHA256 = to.sum()
	if twin != nil {
		f.Gzip = &Archive{Path: gz}
		f.Gzip.Size, f.Gzip.SHA256 = twin.sum()
	}
	if accept != nil {
		if err := accept(f); err != nil {
			return nil, err
		}
	}
	if twin != nil {
		if err := gzipFile.Commit(gz, disk.ModeFile); err != nil {
			return nil, err
		}
	}
	return f, out.Commit(path, disk.ModeFile)
}

// Sum returns the size and the SHA-256 in hex of the file that Write would write.
func (w *Writer) Sum(ctx context.Context, l *Layout, task *progress.Task) (int64, string, error) {
	to := newSink(io.Discard)
	if err := w.stream(ctx, to, nil, l, task); err != nil {
		return 0, "", err
	}
	size, sum := to.sum()
	return size, sum, nil
}

// stream writes the bundle to out, and to gz, which may be nil, as gzip: the archive in one
// goroutine, frames in others.
func (w *Writer) stream(ctx context.Context, out, gz *sink, l *Layout, task *progress.Task) error {
	var twin io.Writer
	if gz != nil {
		twin = gz
	}
	return seekable.WriteTwins(ctx, out, twin, w.enc, func(f *seekable.Writer) error {
		a := archive{
			open: w.open, f: f, tw: tar.NewWriter(f), task: task, time: l.Contents.Created,
			buf: make([]byte, 256<<10),
		}
		return a.write(l)
	})
}

// sink counts and hashes the bytes that are written to a file.
type sink struct {
	io.Writer

	hash hash.Hash
	size *counter
}

func newSink(to io.Writer) *sink {
	s := &sink{hash: sha256.New(), size: new(counter)}
	s.Writer = io.MultiWriter(to, s.hash, s.size)
	return s
}

// sum returns the size and the SHA-256 in hex of the file.
func (s *sink) sum() (int64, string) { return s.size.Load(), hex.EncodeToString(s.hash.Sum(nil)) }

// counter counts the bytes that several goroutines write to it.
type counter struct{ atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.Add(int64(len(p)))
	return len(p), nil
}

// WriteListFile writes the list of the images to a file, as [WriteList] does.
func (c *Contents) WriteListFile(path string, changing func() error) error {
	var list strings.Builder
	if err := c.WriteNames(&list, false, false); err != nil {
		return err
	}
	return WriteList(path, list.String(), changing)
}

// WriteList writes a list of images to a file, unless that is as it would be, and calls changing,
// which may be nil, before.
func WriteList(path, text string, changing func() error) error {
	if old, err := regular.Read(path); err == nil && string(old) == text {
		return nil
	}
	if changing != nil {
		if err := changing(); err != nil {
			return err
		}
	}
	if err := disk.Write(path, []byte(text), disk.ModeFile); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
