package airgap

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// PackOptions say where bundles go.
type PackOptions struct {
	Dir string // directory of the files; empty is the current one
	// the image that stands first, by its name in the lock or its reference there; empty is none
	First string
	// Partial allows images that no bundle holds, and leaves out bundles that would be empty: for
	// bundles of selected platforms or images.
	Partial  bool
	Progress *progress.Printer // nil: quiet
}

// Pack writes one file per bundle, and the list of its images beside it: the images of the lock,
// then those of images.txt. Every blob must be in the store. The image named first, which a node
// needs before the others, comes first in each bundle that holds it. An image that is in no bundle
// is an error, and so is a bundle that would be empty, unless o.Partial is set. Files appear under their names when they are complete. One that was packed from the same
// inputs before, and still has the same bytes, is kept. The caller has locked the directory.
func Pack(ctx context.Context, st *store.Store, l *lock.Lock, bundles []product.Bundle, o PackOptions) ([]File, error) {
	plans, err := newPlans(st, l, bundles, o.First, o.Partial)
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	if err := disk.MkdirAll(cmp.Or(o.Dir, ".")); err != nil {
		return nil, err
	}
	enc, err := seekable.NewEncoders()
	if err != nil {
		return nil, err
	}
	p := &packer{st: st, open: fromStore(st), lock: l, dir: o.Dir, enc: enc, writers: semaphore.NewWeighted(2)}
	var total int64
	for _, pl := range plans {
		total += pl.size()
	}
	p.task = o.Progress.Start(fmt.Sprintf("packing %d bundles", len(plans)), progress.Bytes, total)
	files := make([]File, len(plans))
	// Files that may be kept are read on all cores.
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0) + 1)
	for i, pl := range plans {
		g.Go(func() (err error) {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			files[i], err = p.pack(gctx, pl)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		p.task.Fail()
		return nil, err
	}
	var written int64
	for _, f := range files {
		written += f.Size
	}
	p.task.Done("%s", progress.Size(written))
	return files, nil
}

type packer struct {
	st   *store.Store // remembers what was packed; nil where there is none
	open opener
	lock *lock.Lock
	dir  string
	goal string // where files are moved to from dir, for messages; empty: they stay
	enc  *seekable.Encoders
	task *progress.Task
	fits func(*File) error // looks at a file before it gets its name; nil: all do
	// writers bounds the files that are written at a time: while one waits for the disk, the other
	// compresses; within each, all cores work. nil: the caller bounds them.
	writers *semaphore.Weighted
}

// pack writes a bundle and the list of its images.
func (p *packer) pack(ctx context.Context, pl *plan) (File, error) {
	f, err := p.file(ctx, pl, pl.bundle.Name+".tar.zst")
	if err != nil {
		return File{}, err
	}
	f.List = filepath.Join(p.dir, pl.bundle.Name+".txt")
	var list strings.Builder
	for _, i := range f.Images {
		list.WriteString(i.Name + "\n")
	}
	if old, err := os.ReadFile(f.List); err == nil && string(old) == list.String() {
		return f, nil
	}
	if err := disk.Write(f.List, []byte(list.String()), disk.ModeFile); err != nil {
		return File{}, fmt.Errorf("writing %s: %w", f.List, err)
	}
	return f, nil
}

// file writes the archive of a plan, or finds it there as it was packed.
func (p *packer) file(ctx context.Context, pl *plan, name string) (File, error) {
	f := File{Path: filepath.Join(p.dir, name), Images: pl.images(), LeftOut: pl.leftOut}
	p.task.Note(name)
	docker, oci, err := pl.views(p.lock)
	if err != nil {
		return File{}, err
	}
	key, err := pl.key(f.Path, docker, oci)
	if err != nil {
		return File{}, err
	}
	if p.st != nil {
		switch kept, err := p.recall(ctx, key, &f); {
		case err != nil:
			return File{}, err
		case kept:
			p.task.Add(pl.size())
			return f, nil
		}
	}
	if p.writers != nil {
		if err := p.writers.Acquire(ctx, 1); err != nil {
			return File{}, err
		}
		defer p.writers.Release(1)
	}
	if err := p.write(ctx, pl, docker, oci, &f, p.fits); err != nil {
		return File{}, fmt.Errorf("packing %s: %w", filepath.Join(cmp.Or(p.goal, p.dir), name), err)
	}
	if p.st == nil {
		return f, nil
	}
	return f, p.record(key, f)
}

// write makes the file, under its name only when it is complete and fits, where something else
// has to be true of it.
func (p *packer) write(ctx context.Context, pl *plan, docker, oci []byte, f *File, fits func(*File) error) error {
	out, err := disk.Create(filepath.Dir(f.Path))
	if err != nil {
		return err
	}
	defer out.Abort()
	sum := sha256.New()
	size := new(counter)
	if err := p.stream(ctx, io.MultiWriter(out, sum, size), pl, docker, oci); err != nil {
		return err
	}
	f.Size, f.SHA256 = int64(*size), hex.EncodeToString(sum.Sum(nil))
	if fits != nil {
		if err := fits(f); err != nil {
			return err
		}
	}
	return out.Commit(f.Path, disk.ModeFile)
}

// stream writes the bundle: the tar in one goroutine, frames in several, the disk in another.
func (p *packer) stream(ctx context.Context, w io.Writer, pl *plan, docker, oci []byte) error {
	return seekable.Write(ctx, w, p.enc, func(f *seekable.Writer) error {
		a := &archive{open: p.open, f: f, tw: tar.NewWriter(f), task: p.task, time: pl.created, buf: make([]byte, 256<<10)}
		return a.write(pl, docker, oci)
	})
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
