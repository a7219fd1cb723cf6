package transfer

import (
	"context"
	"sync"
)

// Pushed tells what became of one destination. After an error, Result counts what was sent before
// it, and has no outcomes.
type Pushed struct {
	Result

	Err error
}

// PushAll pushes to several destinations side by side, to each as [Client.Push] does. list has the
// images for each; those of one destination have names of one registry. The result has one element
// per destination. One that fails does not stop the others, and nothing is sent to one that has a
// conflict. A blob that several of them lack is opened and read once. Where two are on one
// registry, the second mounts the blobs that the first was sent.
//
// A destination that stalls is left behind: it then reads the blobs for itself, as it does when it
// sends a blob again after an error. No blob is held in memory as a whole.
func (c *Client) PushAll(ctx context.Context, list [][]Image, source Source, o PushOptions) []Pushed {
	s := &shared{Client: c, source: source, options: o, patience: c.o.Idle / 4, gate: make(chan struct{}, 1), absent: len(list), start: make(chan struct{})}
	pushes := make([]*push, len(list))
	for n, images := range list {
		pushes[n] = newPush(s, n, images, pushes[:n])
	}
	done := make([]Pushed, len(list))
	var all sync.WaitGroup
	for n, p := range pushes {
		all.Go(func() { done[n] = p.run(ctx) })
	}
	all.Wait()
	s.finish(done)
	return done
}
