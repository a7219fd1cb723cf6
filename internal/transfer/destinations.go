package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slipway-dev/slipway/internal/progress"
)

// Pushed reports what became of one destination. After an error, Result counts what was sent
// before it, and has no outcomes.
type Pushed struct {
	Result

	Err error
}

// ErrHeld is the error of a destination to which nothing was sent because of a conflict at another.
var ErrHeld = errors.New("nothing was sent, because a tag at another destination names something else")

// shared is what the pushes of one [Client.PushAll] share: the source, and the progress.
type shared struct {
	*Client
	source  Source
	options PushOptions
	total   atomic.Int64 // bytes to send in all
	task    *progress.Task
}

// PushAll pushes to several destinations side by side, to each as [Client.Push] does. list has the
// images for each; those of one destination have names of one registry. The result has one element
// per destination. First all are checked: where a tag at one of them names another digest, which no
// second run changes, nothing is sent to any. Another failure does not stop the others. Destinations
// on one registry follow one another, and mount the blobs that the earlier ones were sent.
//
// Each registry reads the blobs for itself; of a remote source, all of them read each blob once. No
// blob is held in memory as a whole.
func (c *Client) PushAll(ctx context.Context, list [][]Image, source Source, o PushOptions) []Pushed {
	s := &shared{Client: c, source: source, options: o}
	pushes := make([]*push, len(list))
	for n, images := range list {
		pushes[n] = newPush(s, images, pushes[:n])
	}
	var all sync.WaitGroup
	for _, p := range pushes {
		all.Go(func() { p.check(ctx) })
	}
	all.Wait()
	hold(pushes)
	byRegistry := map[string][]int{}
	for n, p := range pushes {
		byRegistry[p.registry()] = append(byRegistry[p.registry()], n)
	}
	if source.Remote && len(byRegistry) > 1 {
		spool, err := newSpool(source, len(byRegistry))
		if err != nil {
			return slices.Repeat([]Pushed{{Err: err}}, len(list))
		}
		defer spool.close()
		s.source.Open = spool.open
	}
	s.begin(pushes)
	done := make([]Pushed, len(list))
	for _, places := range byRegistry {
		all.Go(func() {
			for _, n := range places {
				done[n] = pushes[n].run(ctx)
			}
		})
	}
	all.Wait()
	s.finish(done)
	return done
}

// hold keeps everything from being sent if one destination has a conflict.
func hold(pushes []*push) {
	if !slices.ContainsFunc(pushes, func(p *push) bool { return errors.As(p.err, &conflictError{}) }) {
		return
	}
	for _, p := range pushes {
		if p.err == nil {
			p.err = ErrHeld
		}
	}
}

// begin starts the progress, unless nothing can be sent.
func (s *shared) begin(pushes []*push) {
	for _, p := range pushes {
		for _, u := range p.uploads {
			s.total.Add(u.desc.Size)
		}
	}
	if slices.ContainsFunc(pushes, func(p *push) bool { return p.err == nil }) {
		s.task = s.o.Progress.Start(s.options.Task, progress.Bytes, s.total.Load())
	}
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
