package bundle

import (
	"context"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Archive is a bundle in one of its forms: .tar.zst or .tar.gz.
type Archive struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hex
}

// WriteTwins writes a bundle to path, and the same archive as gzip to gz. Every blob is read once.
// The files have their names only when both are complete.
func (w *Writer) WriteTwins(ctx context.Context, l *Layout, path, gz string, task *progress.Task) (*File, error) {
	out, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	twin, err := disk.Create(filepath.Dir(gz))
	if err != nil {
		return nil, err
	}
	defer twin.Abort()
	f := &File{Path: path, Contents: l.Contents, Gzip: &Archive{Path: gz}}
	zstd, gzip := newSink(out), newSink(twin)
	if err := w.stream(ctx, zstd, gzip, l, task); err != nil {
		return nil, err
	}
	f.Size, f.SHA256 = zstd.sum()
	f.Gzip.Size, f.Gzip.SHA256 = gzip.sum()
	if err := twin.Commit(gz, disk.ModeFile); err != nil {
		return nil, err
	}
	return f, out.Commit(path, disk.ModeFile)
}

// Bytes is the size of the bundle in all its forms.
func (f *File) Bytes() int64 {
	if f.Gzip == nil {
		return f.Size
	}
	return f.Size + f.Gzip.Size
}

// Archives returns the bundle in each of its forms.
func (f *File) Archives() []Archive {
	all := []Archive{{f.Path, f.Size, f.SHA256}}
	if f.Gzip != nil {
		all = append(all, *f.Gzip)
	}
	return all
}
