package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/oci"
)

// PushOptions configure how images are pushed.
type PushOptions struct {
	Task string // names the progress
	// TrustTags takes a tag that has the right digest for the proof that everything below it is
	// there. Otherwise every manifest is asked for: another push may have left a sparse index.
	TrustTags bool
	// Conflict describes a tag that names another digest, and what to do about it.
	Conflict func(i Image, have v1.Hash) (what, todo string)
	// Referrers decides which referrers may be omitted. Only where it is set does the error about a
	// referrer that the registry refuses name the flag for it.
	Referrers oci.ReferrerRule
}

// Push sends what the registry lacks of images: blobs, mounts, manifests of single platforms,
// indexes, their referrers, and then the tags. Push stops at the first error. If a registry
// refuses a sparse index, the error names the missing platforms.
func (c *Client) Push(ctx context.Context, images []Image, source Source, o PushOptions) (*Result, error) {
	done := c.PushAll(ctx, [][]Image{images}, source, o)[0]
	if done.Err != nil {
		return nil, done.Err
	}
	return &done.Result, nil
}

func steps(ctx context.Context, all ...func(context.Context) error) error {
	for _, step := range all {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// push is what [Client.PushAll] does for one destination.
type push struct {
	*shared

	images  []*target
	uploads []*upload
	// nearby has repositories of earlier destinations on the same registry, by the digest of a
	// blob that they will have.
	nearby map[v1.Hash]name.Repository
	err    error        // why nothing is sent
	late   atomic.Bool  // it held the others up, and reads for itself
	moved  atomic.Int64 // when it last got on, as nanoseconds of Unix time
	waits  atomic.Int32 // how many of its blobs wait for other destinations

	// bytes and blobs that were sent.
	bytes, blobs atomic.Int64
}

// newPush prepares the push to one destination. before has those to the destinations before it.
func newPush(s *shared, images []Image, before []*push) *push {
	p := &push{shared: s, nearby: map[v1.Hash]name.Repository{}}
	for _, i := range images {
		t := &target{Image: i, repo: i.Ref.Context(), has: map[v1.Hash]bool{}}
		if i.Referrer && !i.Required && s.options.Referrers == oci.ReferrersNone {
			t.omit("-referrers=" + string(oci.ReferrersNone))
		}
		p.images = append(p.images, t)
	}
	for _, other := range before {
		for _, u := range other.listUploads() {
			if len(images) > 0 && u.repos[0].RegistryStr() == p.images[0].repo.RegistryStr() {
				p.nearby[u.desc.Digest] = u.repos[0]
			}
		}
	}
	return p
}

// run pushes the images, once all destinations were checked.
func (p *push) run(ctx context.Context) Pushed {
	defer p.leave(p)
	err := p.err
	if err == nil {
		err = steps(ctx, p.sendBlobs, p.mountBlobs, p.putManifests, p.putImages, p.putReferrers, p.putTags)
	}
	done := Pushed{Result{Blobs: p.blobs.Load(), Bytes: p.bytes.Load()}, err}
	if err == nil {
		done.Omitted = p.omitted()
		for _, i := range p.images {
			done.Outcomes = append(done.Outcomes, Outcome{i.done, i.skipped, i.notInRegistry})
		}
	}
	return done
}

// target is an Image and what the registry has of it.
type target struct {
	Image
	repo          name.Repository
	done          bool             // the registry has all of it
	skipped       bool             // its tag is left to another list of signatures, or it is omitted
	omitted       string           // why a referrer is omitted
	has           map[v1.Hash]bool // manifests that the registry has with all their blobs
	notInRegistry []v1.Descriptor  // of those that are not included
}

// advanced notes that the destination gets on.
func (p *push) advanced() { p.moved.Store(time.Now().UnixNano()) }

// waiting notes that a blob waits for other destinations, until done is called.
func (p *push) waiting() (done func()) {
	p.waits.Add(1)
	return func() {
		p.advanced()
		p.waits.Add(-1)
	}
}

// stuck reports whether nothing has moved for some time, and no other destination is the reason.
func (p *push) stuck(patience time.Duration) bool {
	return p.waits.Load() == 0 && time.Since(time.Unix(0, p.moved.Load())) >= patience
}

// connect begins one session per repository, with the right to push there and to read from where
// blobs may be mounted.
func (p *push) connect(ctx context.Context) error {
	from := map[name.Repository]map[string]bool{}
	for _, u := range p.listUploads() {
		for _, r := range u.repos {
			if from[r] == nil {
				from[r] = map[string]bool{}
			}
			if u.from != nil {
				from[r][u.from.Scope(transport.PullScope)] = true
			}
			if r != u.repos[0] {
				from[r][u.repos[0].Scope(transport.PullScope)] = true
			}
			if other, ok := p.nearby[u.desc.Digest]; ok {
				from[r][other.Scope(transport.PullScope)] = true
			}
		}
	}
	return Each(ctx, p.Client, p.images, func(ctx context.Context, _ int, i *target) error {
		// Some registries heed the first scope only.
		scopes := append([]string{i.repo.Scope(transport.PushScope)}, slices.Sorted(maps.Keys(from[i.repo]))...)
		if _, err := p.Session(ctx, i.repo, scopes...); err != nil {
			return fmt.Errorf("connecting to %s: %w", i.repo, err)
		}
		return nil
	})
}

// sendBlobs sends every blob to one repository. Those that only the registry may have come first:
// where it does not, nothing has been sent yet.
func (p *push) sendBlobs(ctx context.Context) error {
	var elsewhere, here []*upload
	for _, u := range p.uploads {
		if p.source.Has != nil && !p.source.Has(u.desc.Digest) {
			elsewhere = append(elsewhere, u)
		} else {
			here = append(here, u)
		}
	}
	if err := Each(ctx, p.Client, elsewhere, p.preferExisting); err != nil {
		return err
	}
	send := func(ctx context.Context, _ int, u *upload) error { return p.sendFirst(ctx, u) }
	if err := Each(ctx, p.Client, elsewhere, send); err != nil {
		return err
	}
	return Each(ctx, p.Client, here, send)
}

// mountBlobs brings blobs into further repositories.
func (p *push) mountBlobs(ctx context.Context) error {
	type mount struct {
		*upload
		to name.Repository
	}
	var mounts []mount
	for _, u := range p.uploads {
		for _, r := range u.repos[1:] {
			mounts = append(mounts, mount{u, r})
		}
	}
	return Each(ctx, p.Client, mounts, func(ctx context.Context, _ int, m mount) error {
		return p.send(ctx, m.upload, m.to, m.repos[0].Digest(m.desc.Digest.String()))
	})
}

// Pushed is the result at one destination. After an error, Result counts the blobs sent before
// it, and has no outcomes.
type Pushed struct {
	Result

	Err error
}

// ErrHeld is the error of a destination to which nothing was sent because of a conflict at
// another.
var ErrHeld = errors.New("nothing was sent, because a tag at another destination names something else")

// PushAll pushes to several destinations side by side, to each as [Client.Push] does. list has
// the images for each; those of one destination have names of one registry. The result has one
// element per destination. First all are checked: where a tag at one of them names another
// digest, which no second run changes, nothing is sent to any. Another failure does not stop the
// others. A blob that several of them lack is opened and read once. Where two are on one
// registry, the second mounts the blobs that the first was sent.
//
// A destination that stalls is left behind: it then reads the blobs for itself, as it does when
// it sends a blob again after an error. No blob is held in memory as a whole.
func (c *Client) PushAll(ctx context.Context, list [][]Image, source Source, o PushOptions) []Pushed {
	s := &shared{Client: c, source: source, options: o, patience: c.o.Idle / 4, gate: make(chan struct{}, 1)}
	pushes := make([]*push, len(list))
	for n, images := range list {
		pushes[n] = newPush(s, images, pushes[:n])
	}
	s.sayOmitted(pushes)
	var all sync.WaitGroup
	for _, p := range pushes {
		all.Go(func() {
			p.err = steps(ctx, p.connect, p.resolve, p.dedupeTags, p.checkListed, p.recognize)
			if p.err == nil {
				p.uploads = p.listUploads()
			}
		})
	}
	all.Wait()
	held := slices.ContainsFunc(pushes, func(p *push) bool { return errors.As(p.err, &conflictError{}) })
	for _, p := range pushes {
		if held && p.err == nil {
			p.err = ErrHeld
		}
	}
	s.begin(slices.DeleteFunc(slices.Clone(pushes), func(p *push) bool { return p.err != nil }))
	done := make([]Pushed, len(list))
	for n, p := range pushes {
		all.Go(func() { done[n] = p.run(ctx) })
	}
	all.Wait()
	s.finish(done)
	return done
}
