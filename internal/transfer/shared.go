package transfer

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/progress"
)

// shared is what the pushes of one [Client.PushAll] share: the source, and the progress.
//
// All destinations send their blobs in one order, as many at a time. The smallest blob in this
// order that is not done yet is therefore under way at every destination that lacks it, so that
// the destinations can wait for each other without a deadlock.
type shared struct {
	*Client
	source  Source
	options PushOptions
	// patience is how long the destinations wait for one that does not get on.
	patience time.Duration
	gate     chan struct{} // see tee

	total atomic.Int64 // bytes to send in all, as far as known

	mu     sync.Mutex
	task   *progress.Task
	absent int // destinations that are still being checked
	ready  []*push
	tees   []*tee
	begun  bool
	start  chan struct{} // closed once begun
}

// expect adds to the bytes that are to be sent, and starts the progress.
func (s *shared) expect(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.total.Add(n)
	if s.task == nil {
		s.task = s.o.Progress.Start(s.options.Task, progress.Bytes, total)
		return
	}
	s.task.Total(total)
}

// gather waits until every destination was checked, so that they read their blobs together. Those
// that take much longer than the others read on their own.
func (s *shared) gather(ctx context.Context, p *push) error {
	s.mu.Lock()
	s.absent--
	p.checked = true
	if !s.begun {
		s.ready = append(s.ready, p)
		s.begin(s.absent == 0)
	}
	s.mu.Unlock()
	late := time.NewTimer(s.patience)
	defer late.Stop()
	select {
	case <-s.start:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-late.C:
		s.mu.Lock()
		s.begin(true)
		s.mu.Unlock()
	}
	return nil
}

// leave takes a destination out that has everything, or has failed: nobody waits for it.
func (s *shared) leave(p *push) {
	s.mu.Lock()
	if !p.checked {
		s.absent--
		s.begin(s.absent == 0)
	}
	tees := s.tees
	s.mu.Unlock()
	for _, u := range p.uploads {
		u.offer.close(nil)
	}
	for _, t := range tees {
		t.leave(p)
	}
}

// begin decides, once, which destinations read which blob together, and which mount it from where
// another one was sent it.
func (s *shared) begin(now bool) {
	if !now || s.begun {
		return
	}
	s.begun = true
	slices.SortFunc(s.ready, func(a, b *push) int { return a.index - b.index })
	offers := map[string]*offer{} // by registry and digest
	readers := map[v1.Hash][]*upload{}
	for _, p := range s.ready {
		p.advanced()
		for _, u := range p.uploads {
			key := u.repos[0].RegistryStr() + " " + u.desc.Digest.String()
			if o := offers[key]; o != nil {
				u.follows = o
				continue
			}
			u.offer = &offer{made: make(chan struct{})}
			offers[key] = u.offer
			readers[u.desc.Digest] = append(readers[u.desc.Digest], u)
		}
		for key, repo := range p.present() {
			if offers[key] == nil {
				offers[key] = &offer{made: make(chan struct{})}
				offers[key].close(&repo)
			}
		}
	}
	for h, list := range readers {
		if len(list) < 2 {
			continue
		}
		t := newTee(func() (io.ReadCloser, error) { return s.source.Open(h) }, list[0].desc.Size, s.patience, s.gate)
		for _, u := range list {
			u.tee, t.awaited[u.push] = t, true
		}
		s.tees = append(s.tees, t)
	}
	close(s.start)
}

// finish ends the progress.
func (s *shared) finish(done []Pushed) {
	var images, existed, complete int
	var blobs, bytes int64
	for _, d := range done {
		blobs, bytes = blobs+d.Blobs, bytes+d.Bytes
		if d.Err != nil {
			continue
		}
		complete++
		images = max(images, len(d.Outcomes))
		for _, o := range d.Outcomes {
			if o.Existed {
				existed++
			}
		}
	}
	to := ""
	switch {
	case complete == 0:
		s.task.Fail()
		return
	case complete < len(done):
		to = fmt.Sprintf(" to %d of %d registries", complete, len(done))
	case complete > 1:
		to = fmt.Sprintf(" to %d registries", complete)
	}
	switch {
	case blobs > 0:
		s.task.Done("%d images%s, %s sent in %d blobs", images, to, progress.Size(bytes), blobs)
	case complete == len(done) && existed == images*complete:
		s.task.Done("%d images%s, all there already", images, to)
	default:
		s.task.Done("%d images%s, no blob to send", images, to)
	}
}

// offer is a blob that a destination brings to a registry, and that others mount from there.
type offer struct {
	once sync.Once
	made chan struct{}
	repo *name.Repository // that has the blob once made is closed; nil if the destination failed
}

// close makes the offer: repo has the blob, or it is nil. A nil offer is for nobody.
func (o *offer) close(repo *name.Repository) {
	if o == nil {
		return
	}
	o.once.Do(func() {
		o.repo = repo
		close(o.made)
	})
}

// wait returns the repository that has the blob, or nil.
func (o *offer) wait(ctx context.Context) (*name.Repository, error) {
	select {
	case <-o.made:
		return o.repo, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
