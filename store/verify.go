package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// VerifyOptions configure what Verify does with damaged files.
type VerifyOptions struct {
	Repair   bool              // remove damaged files, so that the next run rebuilds them
	Progress *progress.Printer // nil is quiet
}

// Report states what a store has.
type Report struct {
	Store   string    `json:"store"`
	Blobs   int       `json:"blobs"`
	Bytes   int64     `json:"bytes"`   // of the blobs
	Records int       `json:"records"` // in cache
	Files   int       `json:"files"`   // in work: programs and unpacked archives
	Damaged []Problem `json:"damaged,omitempty"`
}

// Problem is a damaged file.
type Problem struct {
	Path    string `json:"path"` // relative to the store, with slashes
	Problem string `json:"problem"`
	Removed bool   `json:"removed,omitempty"`
}

// String returns a line for a person.
func (p Problem) String() string {
	if p.Removed {
		return fmt.Sprintf("removed %s, which %s", p.Path, p.Problem)
	}
	return p.Path + " " + p.Problem
}

// Verify reads everything in the store, on all cores, and compares it with digests and checksums.
// The caller has the lock.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (*Report, error) {
	v := &verifier{store: s, options: o, report: &Report{Store: s.dir}}
	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("verifying store %s: %w", s.dir, err)
	}
	slices.SortFunc(v.report.Damaged, func(a, b Problem) int { return cmp.Compare(a.Path, b.Path) })
	return v.report, nil
}

type verifier struct {
	store   *Store
	options VerifyOptions
	task    *progress.Task
	mu      sync.Mutex // guards report
	report  *Report
}

// file is a file to read and compare.
type file struct {
	path   string // relative to the store, with slashes
	digest v1.Hash
	size   int64
}

func (v *verifier) run(ctx context.Context) error {
	blobs, err := v.blobs()
	if err != nil {
		return err
	}
	kept, err := v.records()
	if err != nil {
		return err
	}
	var total int64
	all := slices.Concat(blobs, kept)
	for _, f := range all {
		total += f.size
	}
	v.task = v.options.Progress.Start("verifying "+v.store.dir, progress.Bytes, total)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range all {
		g.Go(func() error { return v.read(ctx, f) })
	}
	if err := g.Wait(); err != nil {
		v.task.Fail()
		return err
	}
	if err := v.layout(); err != nil { // last: index.json lists the blobs that remain
		v.task.Fail()
		return err
	}
	result := fmt.Sprintf("%d blobs, %d records, %d files of work", v.report.Blobs, v.report.Records, v.report.Files)
	if v.report.Err() != nil {
		v.task.Found("%s, damage in %d of them", result, len(v.report.Damaged))
	} else {
		v.task.Done("%s", result)
	}
	return nil
}

var hexName = lazyregexp.New(`^[0-9a-f]{64}$`)

// blobs lists the blobs. Files under other names are being written.
func (v *verifier) blobs() ([]file, error) {
	entries, err := os.ReadDir(filepath.Join(v.store.dir, "blobs", "sha256"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []file
	for _, e := range entries {
		if !hexName.MatchString(e.Name()) {
			continue
		}
		f := file{path: path.Join("blobs", "sha256", e.Name()), digest: v1.Hash{Algorithm: "sha256", Hex: e.Name()}}
		if fi, err := e.Info(); err == nil {
			f.size = fi.Size()
		}
		v.report.Blobs++
		v.report.Bytes += f.size
		all = append(all, f)
	}
	return all, nil
}

// records compares every record with its checksum and returns the files in work that they
// describe.
func (v *verifier) records() ([]file, error) {
	var kept []file
	err := filepath.WalkDir(filepath.Join(v.store.dir, "cache"), func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(p) != ".json" {
			return err
		}
		k, err := v.record(p)
		if k != nil {
			kept = append(kept, *k)
		}
		return err
	})
	return kept, err
}

// record compares a record with its checksum and returns the file in work that it describes, if
// any.
func (v *verifier) record(p string) (*file, error) {
	rel, err := v.store.rel(p)
	if err != nil {
		return nil, err
	}
	v.report.Records++
	b, err := regular.Read(p)
	if err != nil {
		return nil, err
	}
	kind := path.Base(path.Dir(rel))
	value, ok := readRecord(kind, path.Base(rel), b)
	if !ok {
		return nil, v.damaged(rel, "does not fit its checksum")
	}
	var k Kept
	if kind != kindKept || json.Unmarshal(value, &k) != nil || !filepath.IsLocal(filepath.FromSlash(k.Path)) {
		return nil, nil //nolint:nilerr // it describes no file
	}
	if _, err := os.Lstat(filepath.Join(v.store.dir, filepath.FromSlash(k.Path))); err != nil {
		return nil, nil //nolint:nilerr // files in work may be deleted at any time
	}
	v.report.Files++
	return &file{k.Path, k.Digest, k.Size}, nil
}

// read compares one file with its digest.
func (v *verifier) read(ctx context.Context, f file) error {
	r, err := open(filepath.Join(v.store.dir, filepath.FromSlash(f.path)), f.digest, func(why string) error {
		return &DamagedError{Why: why}
	})
	if err != nil {
		return err
	}
	defer r.Close()
	var d *DamagedError
	switch err := progress.Drain(ctx, r, v.task); {
	case errors.As(err, &d):
		return v.damaged(f.path, d.Why)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // the disk fails, or it is a directory
		return v.damaged(f.path, "cannot be read: "+err.Error())
	}
	return nil
}

// damaged reports a file, and removes it if Repair is set.
func (v *verifier) damaged(rel, why string) error {
	p := Problem{Path: rel, Problem: why}
	if v.options.Repair {
		if err := os.RemoveAll(filepath.Join(v.store.dir, filepath.FromSlash(rel))); err != nil {
			return fmt.Errorf("removing a damaged file: %w", err)
		}
		p.Removed = true
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Damaged = append(v.report.Damaged, p)
	return nil
}

// layout checks the two files of the layout, which are not removed but replaced.
func (v *verifier) layout() error {
	report := func(name string, err error) {
		v.report.Damaged = append(v.report.Damaged,
			Problem{Path: name, Problem: "is damaged: " + err.Error(), Removed: v.options.Repair})
	}
	_, index := v.store.checkIndex()
	if index != nil {
		report(indexName, index)
	}
	layout := v.store.checkLayout()
	if layout != nil {
		report(layoutName, layout)
	}
	if v.options.Repair && (index != nil || layout != nil) {
		return v.store.makeLayout()
	}
	return nil
}
