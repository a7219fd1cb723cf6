package audit

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lint"
)

// directory reads an OCI layout, or an unpacked archive.
func (r Reader) directory(ctx context.Context, dir string) ([]lint.Index, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return r.layout(ctx, dir, &inDirectory{ctx: ctx, root: root, files: map[string]packedFile{}})
}

// inDirectory are the files of a directory. Each is read once for its digest.
type inDirectory struct {
	ctx  context.Context //nolint:containedctx // of one call
	root *regular.Root

	mu    sync.Mutex
	files map[string]packedFile
}

func (d *inDirectory) has(name string) bool {
	fi, err := d.root.Stat(filepath.FromSlash(name))
	return err == nil && fi.Mode().IsRegular()
}

func (d *inDirectory) open(name string) (io.ReadCloser, error) {
	f, err := d.root.Open(filepath.FromSlash(name))
	if errors.Is(err, os.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return f, err
}

func (d *inDirectory) read(name string) ([]byte, error) {
	b, err := d.root.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, os.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return b, err
}

func (d *inDirectory) stat(name string) (packedFile, error) {
	d.mu.Lock()
	known, ok := d.files[name]
	d.mu.Unlock()
	if ok {
		return known, nil
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return packedFile{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return packedFile{}, err
	}
	is, _, err := digest(progress.Reader(d.ctx, f, nil), fi.Size())
	if err == nil {
		d.mu.Lock()
		d.files[name] = is
		d.mu.Unlock()
	}
	return is, err
}

func (d *inDirectory) below(dir string) map[string]int64 {
	all := map[string]int64{}
	//nolint:errcheck // what cannot be listed is not unused
	fs.WalkDir(d.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // the next one
		}
		if len(all) == maxFiles {
			return fs.SkipAll
		}
		if fi, err := e.Info(); err == nil {
			all[name] = fi.Size()
		}
		return nil
	})
	return all
}
