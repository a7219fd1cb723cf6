package airgap

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// paxSize is the first size that the header of a file in an older tar has no room for.
const paxSize = 8 << 30

// opener opens a blob for reading, and fails where the bytes do not have the digest, at the
// latest where they end.
type opener func(v1.Hash) (io.ReadCloser, error)

// archive writes the tar: one pass over the blobs, each checked against its digest on the way.
type archive struct {
	open opener
	f    *seekable.Writer
	tw   *tar.Writer
	task *progress.Task
	time time.Time
	buf  []byte
}

func (a *archive) write(p *plan, docker, oci []byte) error {
	for _, e := range []struct {
		name string
		data []byte
	}{{"manifest.json", docker}, {"oci-layout", []byte(layoutFile)}, {"index.json", oci}} {
		if err := a.entry(e.name, int64(len(e.data)), bytes.NewReader(e.data)); err != nil {
			return err
		}
	}
	for _, d := range p.head {
		if err := a.blob(d, nil); err != nil {
			return err
		}
	}
	for _, d := range p.layers {
		if err := a.blob(d, a.f); err != nil {
			return err
		}
	}
	if err := a.f.EndFrame(false); err != nil {
		return err
	}
	return a.tw.Close()
}

// blob writes a blob; where f is given it begins a frame of its own.
func (a *archive) blob(d v1.Descriptor, f *seekable.Writer) error {
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
	if f != nil {
		if err := f.EndFrame(compressed(begin[:n])); err != nil {
			return err
		}
	}
	if err := a.entry(blobName(d.Digest), d.Size, struct{ io.Reader }{io.MultiReader(bytes.NewReader(begin[:n]), rc)}); err != nil {
		return err
	}
	a.task.Add(d.Size)
	return nil
}

// fromStore opens blobs of a store, whose readers compare them with their digests.
func fromStore(st *store.Store) opener { return st.Open }

func (a *archive) entry(name string, size int64, r io.Reader) error {
	h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size, ModTime: a.time, Format: tar.FormatUSTAR}
	if size >= paxSize {
		h.Format = tar.FormatPAX
	}
	if err := a.tw.WriteHeader(h); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if _, err := io.CopyBuffer(a.tw, r, a.buf); err != nil {
		return err
	}
	// the padding belongs to this frame, and too few bytes are found out here
	if err := a.tw.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// magicSize is how many bytes tell whether a blob is compressed.
const magicSize = 6

// compressed reports by its first bytes whether a blob is compressed already; media types are
// known to lie.
func compressed(begin []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\xfd7zXZ\x00"} {
		if bytes.HasPrefix(begin, []byte(magic)) {
			return true
		}
	}
	return false
}
