package transfer

import (
	"context"
	"fmt"
	"io"
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

	total atomic.Int64 // bytes to send in all
	task  *progress.Task
	tees  []*tee
}

// leave takes a destination out that has everything, or has failed: no other waits for it.
func (s *shared) leave(p *push) {
	for _, u := range p.uploads {
		u.offer.close(nil)
	}
	for _, t := range s.tees {
		t.leave(p)
	}
}

// begin starts the progress, and decides which of the destinations read which blob together, and
// which mount it from where another one was sent it.
func (s *shared) begin(ready []*push) {
	if len(ready) == 0 {
		return
	}
	offers := map[string]*offer{} // by registry and digest
	readers := map[v1.Hash][]*upload{}
	for _, p := range ready {
		p.advanced()
		for _, u := range p.uploads {
			s.total.Add(u.desc.Size)
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
	s.task = s.o.Progress.Start(s.options.Task, progress.Bytes, s.total.Load())
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
		s.task.Done("%d images%s, all exist already", images, to)
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

// close makes the offer: repo has the blob, or it is nil. A nil offer is for no destination.
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
