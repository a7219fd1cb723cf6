package airgap

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Target is a bundle to be packed.
type Target struct {
	Name     string            // of the file, without .tar.zst
	Platform platform.Platform // zero for all platforms
	// Groups are those whose images it has, with Charts; none for all images.
	Groups, Charts []string
	// Base is the Name of the target whose layers this one lacks; "" if it is complete.
	Base string
	// ListOnly means that there is only the list of its images: see [Pack].
	ListOnly bool
}

// takes reports whether an entry is in the groups of the target.
func (t Target) takes(e entry) bool {
	return len(t.Groups) == 0 || e.chart && slices.Contains(t.Charts, e.chartName) ||
		slices.ContainsFunc(e.groups, func(g string) bool { return slices.Contains(t.Groups, g) })
}

// PackOptions configure where bundles are written.
type PackOptions struct {
	Dir string // directory of the files; empty is the current one
	// First is the image that is first in each bundle that includes it, because a node needs it
	// before the others: its name in the lock or its reference there; empty: none.
	First string
	// Gzip writes each bundle as .tar.gz, too: the same archive.
	Gzip bool
	// Partial allows images that no bundle includes, and omits bundles that would be empty: for
	// bundles of selected platforms or images.
	Partial bool
	// Changing, which may be nil, is called once, before the first file changes.
	Changing func() error
	Progress *progress.Printer // nil: quiet
}

// Pack writes one file per target, and the list of its images next to it: the images of the lock,
// then those of images.txt. Every blob must be in the store. An image that is in no bundle is an
// error, and so is a bundle that would be empty, unless o.Partial is set. Files get their names
// when they are complete. One that was packed from the same inputs before, and still has the same
// bytes, is kept. Of a target without an archive there is the list alone: lists has the names of
// these. The caller has locked the directory.
func Pack(ctx context.Context, st *store.Store, l *lock.Lock, targets []Target, o PackOptions) (
	files []bundle.File, lists []string, err error,
) {
	plans, err := newPlans(reader{st: st}, l, targets, o.First, o.Partial)
	if err != nil {
		return nil, nil, err
	}
	if o.Changing != nil {
		o.Changing = sync.OnceValue(o.Changing)
	}
	for _, t := range targets {
		if !o.Partial && !slices.ContainsFunc(plans, func(p *plan) bool { return p.target.Name == t.Name }) {
			o.Progress.Printf("leaving out bundle %s: the snapshot has no image of group %s", t.Name,
				strings.Join(t.Groups, " or "))
		}
	}
	var archives, only []*plan
	for _, p := range plans {
		if p.target.ListOnly {
			only = append(only, p)
		} else {
			archives = append(archives, p)
		}
	}
	if files, err = packAll(ctx, st, archives, o); err != nil {
		return nil, nil, err
	}
	lists, err = writeLists(only, o.Dir, o.Changing)
	return files, lists, err
}

// Check reports what [Pack] would refuse of the images of a lock, before any of them is
// published. Their documents must be in the store; layers need not be there yet.
func Check(st *store.Store, l *lock.Lock, targets []Target, o PackOptions) error {
	_, err := newPlans(reader{st, true}, l, targets, o.First, o.Partial)
	return err
}

// packAll writes the archives of plans.
func packAll(ctx context.Context, st *store.Store, plans []*plan, o PackOptions) ([]bundle.File, error) {
	if len(plans) == 0 {
		return nil, nil
	}
	p, err := newPacker(st, o)
	if err != nil {
		return nil, err
	}
	var total int64
	for _, pl := range plans {
		total += pl.Size()
	}
	p.task = o.Progress.Start(fmt.Sprintf("packing %d bundles", len(plans)), progress.Bytes, total)
	defer p.task.Fail()
	files := make([]bundle.File, len(plans))
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
		return nil, err
	}
	var written int64
	for _, f := range files {
		written += f.Bytes()
	}
	p.task.Done("%s", progress.Size(written))
	return files, nil
}

// packer writes the files of plans.
type packer struct {
	st   *store.Store // also remembers packed bundles
	w    *bundle.Writer
	dir  string
	gzip bool
	task *progress.Task
	// writers bounds the files that are written at a time: while one waits for the disk, the other
	// compresses; within each, all cores work.
	writers  *semaphore.Weighted
	changing func() error // see [PackOptions]
}

func newPacker(st *store.Store, o PackOptions) (*packer, error) {
	if err := disk.MkdirAll(cmp.Or(o.Dir, ".")); err != nil {
		return nil, err
	}
	w, err := bundle.NewWriter(st.Open)
	return &packer{
		st: st, w: w, dir: o.Dir, gzip: o.Gzip, writers: semaphore.NewWeighted(2), changing: o.Changing,
	}, err
}

// pack writes a bundle and the list of its images.
func (p *packer) pack(ctx context.Context, pl *plan) (bundle.File, error) {
	f, err := p.file(ctx, pl.Layout, pl.target.Name+distfile.BundleSuffix, p.gzip)
	if err != nil {
		return bundle.File{}, err
	}
	f.List = strings.TrimSuffix(f.Path, distfile.BundleSuffix) + distfile.ListSuffix
	return f, pl.Contents.WriteListFile(f.List, p.changing)
}

// file writes the archive of a bundle or a delta, with gzip both its forms from one reading of
// the blobs, or keeps the archive that was packed before. name is that of the .tar.zst.
func (p *packer) file(ctx context.Context, l *bundle.Layout, name string, gzip bool) (bundle.File, error) {
	f := bundle.File{Path: filepath.Join(p.dir, name), Contents: l.Contents}
	p.task.Note(name)
	gz := ""
	if gzip {
		gz = strings.TrimSuffix(f.Path, distfile.BundleSuffix) + distfile.GzipSuffix
		f.Gzip = &bundle.Archive{Path: gz}
	}
	switch kept, err := p.recall(ctx, l, &f); {
	case err != nil:
		return f, err
	case kept:
		p.task.Add(l.Size())
		return f, nil
	}
	if err := p.writers.Acquire(ctx, 1); err != nil {
		return f, err
	}
	defer p.writers.Release(1)
	made, err := p.w.Write(ctx, l, f.Path, gz, p.task, func(f *bundle.File) error { return p.replace(ctx, f) })
	if err != nil {
		return f, fmt.Errorf("packing %s: %w", f.Path, err)
	}
	for _, a := range made.Archives() {
		key, err := reuseKey(l, a.Path)
		if err != nil {
			return f, err
		}
		if err := p.st.Record(recordKind, key, packed{a.Size, a.SHA256}); err != nil {
			return f, err
		}
	}
	return *made, nil
}

// replace is called when a file is complete, before it replaces another one. A file with the same
// bytes, which the store does not remember, does not count as a change.
func (p *packer) replace(ctx context.Context, f *bundle.File) error {
	if p.changing == nil {
		return nil
	}
	for _, a := range f.Archives() {
		if h, err := disk.Digest(ctx, a.Path, nil); err != nil || h.Hex != a.SHA256 {
			return p.changing()
		}
	}
	return nil
}

// packed is the store's record of a bundle.
type packed struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const recordKind = "bundle"

// reuseKey names everything that the bytes of a file follow from, and where the file is.
func reuseKey(l *bundle.Layout, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return path + "\n" + l.Key(), nil
}

// recall reports whether a file exists, in all its forms, with the bytes that were packed. All
// are read: neither size nor time proves that the disk has kept them.
func (p *packer) recall(ctx context.Context, l *bundle.Layout, f *bundle.File) (bool, error) {
	forms := f.Archives()
	for n := range forms {
		if ok, err := p.recallArchive(ctx, l, &forms[n]); !ok || err != nil {
			return false, err
		}
	}
	f.Size, f.SHA256, f.Reused = forms[0].Size, forms[0].SHA256, true
	if f.Gzip != nil {
		*f.Gzip = forms[1]
	}
	return true, nil
}

// recallArchive is recall for one form.
func (p *packer) recallArchive(ctx context.Context, l *bundle.Layout, a *bundle.Archive) (bool, error) {
	key, err := reuseKey(l, a.Path)
	if err != nil {
		return false, err
	}
	var r packed
	if ok, err := p.st.Recall(recordKind, key, &r); !ok || err != nil {
		return false, err
	}
	file, err := regular.Open(a.Path)
	if err != nil {
		return false, nil // a file that cannot be read is packed again
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil || fi.Size() != r.Size {
		return false, nil // as above
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, progress.Reader(ctx, file, nil)); err != nil ||
		hex.EncodeToString(sum.Sum(nil)) != r.SHA256 {
		return false, ctx.Err()
	}
	a.Size, a.SHA256 = r.Size, r.SHA256
	return true, nil
}
