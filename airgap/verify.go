package airgap

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// VerifyOptions say what a bundle is held against besides its own digests.
type VerifyOptions struct {
	Sums     string            // path of a SHA256SUMS that lists the bundle; empty: none
	Lock     *lock.Lock        // the release that the bundle was packed from; nil: none
	Progress *progress.Printer // nil: quiet
}

// Report is what verifying a bundle came to.
type Report struct {
	Path   string `json:"path"`
	Images int    `json:"images"`
	Blobs  int    `json:"blobs"` // that were read and are right
	Bytes  int64  `json:"bytes"` // of the decompressed archive that were read
	// of the file, where it was held against SHA256SUMS
	SHA256   string    `json:"sha256,omitempty"`
	Note     string    `json:"note,omitempty"` // what is unusual and does no harm
	Problems []Problem `json:"problems"`       // in the order of the archive
}

// Problem is one thing that is wrong with a bundle.
type Problem struct {
	Blob   string   `json:"blob,omitempty"`   // digest
	Images []string `json:"images,omitempty"` // the images that the blob belongs to
	What   string   `json:"problem"`
	at     int64    // place in the archive
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

// Verify reads a bundle whole: every byte against the digests and checksums that the bundle has
// of it, the file against SHA256SUMS and the images against a lock where these are given. It does
// not stop at a problem: all of them are in the report, each broken blob with the images it
// belongs to. An error says that the bundle could not be read at all, or that ctx ended.
func Verify(ctx context.Context, path string, o VerifyOptions) (*Report, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v := &verifier{src: f, b: &Bundle{archive: seekable.NewReader(f, size)}, report: Report{Path: path, Problems: []Problem{}}}
	v.task = o.Progress.Start("verifying "+path, progress.Bytes, 0)
	defer v.task.Fail()
	if err := v.run(ctx, o); err != nil {
		return nil, err
	}
	if n := len(v.report.Problems); n == 0 {
		v.task.Done("%d images, %d blobs, %s", v.report.Images, v.report.Blobs, progress.Size(v.report.Bytes))
	}
	return &v.report, nil
}

// verifier collects what is wrong with one bundle. Its report may be used by one goroutine at a
// time.
type verifier struct {
	src    io.ReaderAt
	b      *Bundle
	owners map[v1.Hash][]string
	whole  bool // the head is, so that the places of all layers are known
	task   *progress.Task

	mu     sync.Mutex
	report Report
}

func (v *verifier) run(ctx context.Context, o VerifyOptions) error {
	var g errgroup.Group
	if o.Sums != "" {
		g.Go(func() error { return v.sums(ctx, o.Sums) })
	}
	if err := recognize(v.src); err != nil {
		v.problem(Problem{What: err.Error()})
		return g.Wait()
	}
	err := v.b.archive.ReadTable()
	if err != nil {
		v.problem(Problem{What: damaged(err).Error(), at: 1 << 62})
	}
	v.head()
	if o.Lock != nil && v.b.contents != nil {
		for _, p := range disagreements(v.b.contents, o.Lock, v.whole) {
			v.problem(Problem{What: p, at: -1})
		}
	}
	if v.b.archive.HasTable() {
		err = v.frames(ctx)
	} else {
		v.report.Note = noTable
		err = v.sequence(ctx)
	}
	if err := errors.Join(err, g.Wait()); ctx.Err() != nil || err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	slices.SortStableFunc(v.report.Problems, func(a, b Problem) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// head reads the head as Open does, and goes on where Open would stop.
func (v *verifier) head() {
	v.owners = map[v1.Hash][]string{}
	s, err := v.b.archive.From(0)
	if err != nil {
		v.problem(Problem{What: damaged(err).Error()})
		v.b.head = &head{}
		return
	}
	defer s.Close()
	var c *Contents
	if v.b.head, err = parseHead(s); err != nil {
		err = damaged(err)
		v.b.head.size = 0
	} else {
		c, err = v.b.head.contents()
	}
	v.b.contents, v.whole = c, err == nil
	for _, e := range split(err) {
		v.problem(Problem{What: e.Error()})
	}
	if c == nil {
		return
	}
	v.report.Images = len(c.Images)
	for _, i := range c.Images {
		for _, child := range i.Children {
			v.own(i, child.Layers)
		}
		for _, r := range i.Referrers {
			v.own(i, r.Layers)
		}
	}
	v.task.Total(v.b.arrange())
}

// own remembers that layers belong to an image.
func (v *verifier) own(i Image, layers []Layer) {
	for _, l := range layers {
		if own := v.owners[l.Digest]; !slices.Contains(own, i.Name) {
			v.owners[l.Digest] = append(own, i.Name)
		}
	}
}

// split takes joined errors apart.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
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

// maxProblems bounds a report: a file that was made to have problems may have any number.
var maxProblems = 10_000 // a variable for the test that has more

// broken reports a blob.
func (v *verifier) broken(h v1.Hash, at int64, err error) {
	v.problem(Problem{Blob: h.String(), Images: v.owners[h], What: err.Error(), at: at})
}

// good counts a blob that is right.
func (v *verifier) good() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Blobs++
}

// counted counts what is read of r, and ends with the context.
func (v *verifier) counted(ctx context.Context, r io.Reader) io.Reader {
	return progress.Reader(ctx, io.TeeReader(r, (*tally)(v)), v.task)
}

// tally counts the bytes of the archive that were read.
type tally verifier

func (v *tally) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Bytes += int64(len(p))
	return len(p), nil
}
