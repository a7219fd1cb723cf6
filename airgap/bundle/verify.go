package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/airgap/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

// VerifyOptions are what a bundle is compared with besides its own digests.
type VerifyOptions struct {
	Sums string // path of a SHA256SUMS that lists the bundle; empty: none
	// Compare, which may be nil, returns the problems of the contents. Those of a damaged bundle
	// are not complete: some images are not known.
	Compare func(c *Contents, complete bool) []string
	// Check, which may be nil, is called with a bundle whose head is right, before layers are read,
	// and may open blobs. Verify returns its error. With a Check, a head that is not right is an
	// error, too: no layers are read of a bundle that could not be checked.
	Check    func(b *Bundle) error
	Progress *progress.Printer // nil: quiet
}

// Report is the result of verifying a bundle.
type Report struct {
	Path   string `json:"path"`
	Images int    `json:"images"`
	Blobs  int    `json:"blobs"` // that have their digests
	Bytes  int64  `json:"bytes"` // that were read of the decompressed archive
	// of the file, if it was compared with SHA256SUMS
	SHA256 string `json:"sha256,omitempty"`
	Note   string `json:"note,omitempty"` // an unusual but harmless property
	// Snapshot means that it is of a snapshot, which no registry got.
	Snapshot bool     `json:"snapshot"`
	Groups   []string `json:"groups,omitempty"`
	// Needs is what a sparse bundle lacks. CompletedBy is the path of the bundle, verified besides,
	// that has all of it.
	Needs       *Needs    `json:"needs,omitempty"`
	CompletedBy string    `json:"completedBy,omitempty"`
	Problems    []Problem `json:"problems"` // in the order of the archive

	contents *Contents // nil where the head is wrong
}

// Problem is one problem of a bundle.
type Problem struct {
	Blob   string   `json:"blob,omitempty"`   // digest
	Images []string `json:"images,omitempty"` // the images that the blob belongs to
	What   string   `json:"problem"`
	at     int64    // where in the archive
}

// Complete compares sparse bundles that were verified with those that complete them, as far as
// these were verified besides, and returns the problems, a line each. The reports of complete
// ones get CompletedBy.
func Complete(reports []Report) (wrong []string) {
	for n := range reports {
		r := &reports[n]
		if r.Needs == nil {
			continue
		}
		at := slices.IndexFunc(reports, func(o Report) bool {
			return stem(o.Path) == stem(r.Needs.Bundle) && o.contents != nil && o.contents.Delta == nil
		})
		if at < 0 {
			continue
		}
		has, missing := reports[at].contents.LayerSet(), 0
		for h := range r.Needs.lacking() {
			if !has[h] {
				missing++
			}
		}
		if missing > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %s has %d of the %d layers that it needs: "+
				"take both from one release", r.Path, reports[at].Path, len(r.Needs.Lacking)-missing,
				len(r.Needs.Lacking)))
			continue
		}
		if !slices.Equal(r.Needs.Groups, reports[at].Groups) {
			wrong = append(wrong, fmt.Sprintf("%s adds to group %s, and %s has %s: take both from one release", r.Path,
				strings.Join(r.Needs.Groups, " and "), reports[at].Path,
				cmp.Or(strings.Join(reports[at].Groups, " and "), "none")))
			continue
		}
		r.CompletedBy = reports[at].Path
	}
	return wrong
}

// stem is the name of a bundle without what says in which form it is.
func stem(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), distfile.GzipSuffix), distfile.BundleSuffix)
}

func (p Problem) String() string {
	s := p.What
	if p.Blob != "" {
		s = "blob " + p.Blob + ": " + s
	}
	if len(p.Images) > 0 {
		s += " (" + strings.Join(p.Images, ", ") + ")"
	}
	return s
}

// Verify reads all of a bundle and compares every byte with the digests and checksums in it, and
// the bundle with what the options name. No problem stops it: the report has all of
// them, and with each damaged blob the images that it belongs to. An error means that the file
// could not be read, or that ctx ended.
func Verify(ctx context.Context, path string, o VerifyOptions) (*Report, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v := &verifier{
		src: f, b: &Bundle{archive: seekable.NewReader(f, size), head: &head{}},
		report: Report{Path: path, Problems: []Problem{}},
	}
	v.task = o.Progress.Start("verifying "+path, progress.Bytes, 0)
	defer v.task.Fail()
	if err := v.run(ctx, o); err != nil {
		return nil, err
	}
	v.report.Bytes = v.bytes.Load()
	if len(v.report.Problems) == 0 {
		v.task.Done("%d images, %d blobs, %s", v.report.Images, v.report.Blobs, progress.Size(v.report.Bytes))
	}
	return &v.report, nil
}

// verifier collects the problems of one bundle; mu guards the report.
type verifier struct {
	src    io.ReaderAt
	b      *Bundle
	owners map[v1.Hash][]string
	headOK bool // so that the places of all layers are known
	// tableErr is the problem of the seek table, where the archive can be read without it.
	tableErr error
	task     *progress.Task

	bytes  counter // of report
	mu     sync.Mutex
	report Report
}

func (v *verifier) run(ctx context.Context, o VerifyOptions) error {
	var g errgroup.Group
	if o.Sums != "" {
		g.Go(func() error { return v.sums(ctx, o.Sums) })
	}
	var err error
	if v.b.gzip, err = recognize(v.src); err != nil {
		v.problem(Problem{What: err.Error()})
		return errors.Join(v.unchecked(o), g.Wait())
	}
	v.tableErr = readError(v.b.readTable())
	v.head()
	if o.Compare != nil && v.b.contents != nil {
		for _, p := range o.Compare(v.b.contents, v.headOK) {
			v.problem(Problem{What: p, at: -1})
		}
	}
	if err := v.unchecked(o); err != nil {
		return errors.Join(err, g.Wait())
	}
	if o.Check != nil {
		if err := o.Check(v.b); err != nil {
			return errors.Join(err, g.Wait())
		}
	}
	if v.b.archive.HasTable() {
		err = v.frames(ctx)
	} else {
		if !v.b.gzip {
			v.report.Note = noTable
		}
		err = v.sequence(ctx)
	}
	if v.tableErr != nil {
		v.problem(Problem{What: v.tableErr.Error(), at: 1 << 62})
	}
	if err := errors.Join(err, g.Wait()); ctx.Err() != nil || err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	slices.SortStableFunc(v.report.Problems, func(a, b Problem) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// unchecked returns the first problem as an error if the options have a check.
func (v *verifier) unchecked(o VerifyOptions) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case o.Check == nil:
		return nil
	case v.tableErr != nil:
		return fmt.Errorf("%s: %w", v.report.Path, v.tableErr)
	case len(v.report.Problems) > 0:
		return fmt.Errorf("%s: %s", v.report.Path, v.report.Problems[0])
	}
	return nil
}

// head reads the head as Open does, and continues where Open would stop.
func (v *verifier) head() {
	v.owners = map[v1.Hash][]string{}
	var c *Contents
	err := v.b.readHead()
	if err != nil {
		err = readError(err)
		v.explained(err)
		v.b.head.size = 0
	} else {
		c, err = v.b.head.contents()
	}
	v.b.contents, v.headOK = c, err == nil
	if v.headOK {
		err = v.b.checkForm()
	}
	for _, e := range output.Split(err) {
		v.problem(Problem{What: e.Error()})
	}
	if c == nil {
		return
	}
	v.report.Images, v.report.Groups, v.report.Needs = len(c.Images), c.Groups, c.Needs
	v.report.Snapshot = c.Snapshot
	if v.headOK {
		v.report.contents = c
	}
	for _, i := range c.Images {
		for _, m := range i.Included() {
			v.own(i, m.Layers)
		}
		for _, r := range i.Referrers {
			_, layers := r.blobs()
			v.own(i, layers)
		}
	}
	v.task.Total(v.b.arrange())
}

// own records that layers belong to an image.
func (v *verifier) own(i Image, layers []v1.Descriptor) {
	for _, l := range layers {
		if own := v.owners[l.Digest]; !slices.Contains(own, i.Name) {
			v.owners[l.Digest] = append(own, i.Name)
		}
	}
}

func (v *verifier) problem(p Problem) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.report.Problems); n == maxProblems {
		p = Problem{What: "there are more problems than these", at: math.MaxInt64}
	} else if n > maxProblems {
		return
	}
	v.report.Problems = append(v.report.Problems, p)
}

// maxProblems bounds a report: a hostile file may have any number.
var maxProblems = 10_000 // a variable for the test that has more

// broken reports a damaged blob.
func (v *verifier) broken(h v1.Hash, at int64, err error) {
	v.problem(Problem{Blob: h.String(), Images: v.owners[h], What: err.Error(), at: at})
}

// good counts blobs that have their digests.
func (v *verifier) good(blobs int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Blobs += blobs
}

// counted counts the bytes that are read of r, and ends with the context.
func (v *verifier) counted(ctx context.Context, r io.Reader) io.Reader {
	return progress.Reader(ctx, io.TeeReader(r, &v.bytes), v.task)
}
