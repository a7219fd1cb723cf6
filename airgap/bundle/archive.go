package bundle

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/progress"
)

// archive writes the tar, in one pass over the blobs.
type archive struct {
	open Opener
	f    *seekable.Writer
	tw   *tar.Writer
	task *progress.Task
	time time.Time
	buf  []byte
}

func (a *archive) write(l *Layout) error {
	if err := a.head(l); err != nil {
		return err
	}
	for _, d := range l.layers {
		if err := a.blob(d, true); err != nil {
			return err
		}
	}
	if err := a.f.EndFrame(false); err != nil {
		return err
	}
	return a.tw.Close()
}

// head writes what precedes the layers.
func (a *archive) head(l *Layout) error {
	for _, e := range []struct {
		name string
		data []byte
	}{{"manifest.json", l.docker}, {"oci-layout", []byte(layoutFile)}, {"index.json", l.index}} {
		if err := a.entry(e.name, int64(len(e.data)), bytes.NewReader(e.data)); err != nil {
			return err
		}
	}
	for _, d := range l.metadata {
		if err := a.blob(d, false); err != nil {
			return err
		}
	}
	return nil
}

// blob writes a blob. A layer begins a frame.
func (a *archive) blob(d v1.Descriptor, layer bool) error {
	rc, err := a.open(d.Digest)
	if err != nil {
		return err
	}
	defer rc.Close()
	var begin [magicSize]byte
	n, err := io.ReadFull(rc, begin[:min(magicSize, d.Size)])
	if err != nil {
		return fmt.Errorf("reading blob %s: %w", d.Digest, err)
	}
	if layer {
		if err := a.f.EndFrame(compressed(begin[:n])); err != nil {
			return err
		}
	}
	if err := a.entry(blobName(d.Digest), d.Size,
		struct{ io.Reader }{io.MultiReader(bytes.NewReader(begin[:n]), rc)}); err != nil {
		return err
	}
	a.task.Add(d.Size)
	return nil
}

func (a *archive) entry(name string, size int64, r io.Reader) error {
	if err := a.tw.WriteHeader(header(name, size, a.time)); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if _, err := io.CopyBuffer(a.tw, r, a.buf); err != nil {
		return err
	}
	// the padding belongs to this frame, and an entry that is too short fails here
	if err := a.tw.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// magicSize is how many bytes show whether a blob is compressed.
const magicSize = 6

// compressed reports by its first bytes whether a blob is compressed; media types may be wrong.
func compressed(begin []byte) bool {
	magics := []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zXZ\x00"}
	return slices.ContainsFunc(magics, func(m string) bool { return bytes.HasPrefix(begin, []byte(m)) })
}
