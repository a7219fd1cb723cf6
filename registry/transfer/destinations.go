package transfer

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Pushed reports what became of one destination. After an error, Result counts what was sent
// before it, and has no outcomes.
type Pushed struct {
	Result

	Err error
}

// ErrHeld is the error of a destination to which nothing was sent because of a conflict at another.
var ErrHeld = errors.New("nothing was sent, because a tag at another destination names something else")

// PushAll pushes to several destinations side by side, to each as [Client.Push] does. list has the
// images for each; those of one destination have names of one registry. The result has one element
// per destination. First all are checked: where a tag at one of them names another digest, which no
// second run changes, nothing is sent to any. Another failure does not stop the others. A blob that
// several of them lack is opened and read once. Where two are on one registry, the second mounts
// the blobs that the first was sent.
//
// A destination that stalls is left behind: it then reads the blobs for itself, as it does when it
// sends a blob again after an error. No blob is held in memory as a whole.
func (c *Client) PushAll(ctx context.Context, list [][]Image, source Source, o PushOptions) []Pushed {
	s := &shared{Client: c, source: source, options: o, patience: c.o.Idle / 4, gate: make(chan struct{}, 1)}
	pushes := make([]*push, len(list))
	for n, images := range list {
		pushes[n] = newPush(s, images, pushes[:n])
	}
	s.sayOmitted(pushes)
	var all sync.WaitGroup
	for _, p := range pushes {
		all.Go(func() { p.check(ctx) })
	}
	all.Wait()
	hold(pushes)
	s.begin(slices.DeleteFunc(slices.Clone(pushes), func(p *push) bool { return p.err != nil }))
	done := make([]Pushed, len(list))
	for n, p := range pushes {
		all.Go(func() { done[n] = p.run(ctx) })
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
