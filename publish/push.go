package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/progress"
)

// Push pushes images whose blobs a source gives, in the way that [Publish] does, and under the
// same guarantees. Names that are there are looked at down to every manifest, since another push
// may have left an index without all its platforms; what is there is not sent again. Where a
// registry refuses an index that is not complete, the error says what it lacks.
func Push(ctx context.Context, images []Image, source Source, o Options) (*Result, error) {
	o = o.Defaults()
	p := &plan{task: "push", source: source, deep: true, conflict: func(i *image, have v1.Hash) error {
		return fmt.Errorf("pushing %s: %s stands for %s in the registry already, and for %s here: push under another prefix, or delete that tag if nobody uses it",
			i.Name, i.Ref, have, i.Top.Descriptor.Digest)
	}}
	for _, i := range images {
		p.add(i)
	}
	return push(ctx, newClient(o), p, o)
}

// push sends what the registry lacks: blobs, mounts, manifests of single platforms, and then what
// has a name. It stops at the first error.
func push(ctx context.Context, c *client, p *plan, o Options) (r *Result, err error) {
	if err := openSessions(ctx, c, p, o); err != nil {
		return nil, err
	}
	if err := look(ctx, c, p, o); err != nil {
		return nil, err
	}
	if err := p.rival(o); err != nil {
		return nil, err
	}
	if err := relist(ctx, c, p, o); err != nil {
		return nil, err
	}
	uploads := p.uploads()
	s := &sender{client: c, open: p.source.Open}
	for _, u := range uploads {
		s.total.Add(u.desc.Size)
	}
	s.task = o.Progress.Start(p.task, progress.Bytes, s.total.Load())
	defer func() {
		if err != nil {
			s.task.Fail()
			return
		}
		s.task.Done("%s", s.summary(p))
	}()
	send := func(ctx context.Context, u *upload) error { return s.send(ctx, u, u.repos[0], u.from) }
	lacking, here := p.source.split(uploads)
	if err := each(ctx, o.Jobs, lacking, func(ctx context.Context, u *upload) error { return c.locate(ctx, u) }); err != nil {
		return nil, err
	}
	if err := each(ctx, o.Jobs, lacking, send); err != nil {
		return nil, err
	}
	if err := each(ctx, o.Jobs, here, send); err != nil {
		return nil, err
	}
	var mounts []mount
	for _, u := range uploads {
		for _, r := range u.repos[1:] {
			mounts = append(mounts, mount{u, r})
		}
	}
	err = each(ctx, o.Jobs, mounts, func(ctx context.Context, m mount) error {
		return s.send(ctx, m.upload, m.repo, m.upload.repos[0].Digest(m.upload.desc.Digest.String()))
	})
	if err != nil {
		return nil, err
	}
	children, named := p.manifests()
	if err := c.putAll(ctx, o.Jobs, children); err != nil {
		return nil, err
	}
	about := func(m put) bool { return m.image.Referrer }
	images, referrers := slices.DeleteFunc(slices.Clone(named), about), slices.DeleteFunc(named, func(m put) bool { return !about(m) })
	if err := c.putAll(ctx, o.Jobs, images); err != nil {
		return nil, err
	}
	if err := c.putAll(ctx, 1, referrers); err != nil {
		return nil, err
	}
	r = &Result{Blobs: s.blobs.Load(), Bytes: s.bytes.Load()}
	for _, i := range p.images {
		r.Outcomes = append(r.Outcomes, Outcome{i.done, i.left, i.lacking})
	}
	return r, nil
}

// split parts blobs that only the registry may have from those that the source gives.
func (s Source) split(all []*upload) (lacking, here []*upload) {
	for _, u := range all {
		if s.Lacks != nil && s.Lacks(u.desc.Digest) {
			lacking = append(lacking, u)
		} else {
			here = append(here, u)
		}
	}
	return lacking, here
}

// mount is a blob that another repository of ours has by now.
type mount struct {
	upload *upload
	repo   name.Repository
}

// openSessions begins one session per repository, with leave to push there and to read where
// blobs may be mounted from.
func openSessions(ctx context.Context, c *client, p *plan, o Options) error {
	from := map[name.Repository]map[string]bool{}
	for _, u := range p.uploads() {
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
		}
	}
	return each(ctx, o.Jobs, p.images, func(ctx context.Context, i *image) error {
		// Some registries heed the first scope only.
		scopes := append([]string{i.repo.Scope(transport.PushScope)}, slices.Sorted(maps.Keys(from[i.repo]))...)
		if _, err := c.Session(ctx, i.repo, scopes...); err != nil {
			return fmt.Errorf("connecting to %s: %w", i.repo, err)
		}
		return nil
	})
}
