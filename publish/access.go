package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// CheckAccess checks, without leaving anything in a registry, whether p can be published: whether
// every repository may be pushed to, and whether the registries of third-party images have them,
// also those that st has, since nodes pull them from there. The third-party images are returned
// by their documents, which st keeps, so that they are judged before anything is built. The error
// lists every failure. A snapshot pushes nowhere, and asks for nothing that st has.
func CheckAccess(ctx context.Context, p *product.Product, st *store.Store, o network.Options) ([]Party, error) {
	r := &access{transfer.New(o), st, o.Progress, p.VersionSource.Raise()}
	parties, pulls := r.pulls(p, true)
	if p.Snapshot() {
		return parties, queryAll(ctx, r.Client, pulls)
	}
	pushes, err := r.pushes(p)
	if err != nil {
		return nil, err
	}
	return parties, queryAll(ctx, r.Client, append(pushes, pulls...))
}

// access is one call of [CheckAccess].
type access struct {
	*transfer.Client
	store    *store.Store
	progress *progress.Printer
	raise    string // how the next version is chosen
}

// pushes asks for all repositories that p pushes to. A part has no charts, and pushes no tags;
// one that has only artifacts pushes nothing.
func (r *access) pushes(p *product.Product) (all []query, err error) {
	seen := map[string]bool{} // images may share a repository
	add := func(repositories []string, tag string) error {
		for n, host := range Registries(p) {
			repo, err := name.NewRepository(host + "/" + repositories[n])
			if err != nil {
				return err
			}
			t := repo.Tag(tag)
			if len(p.Selected) > 0 {
				t = name.Tag{}
			}
			if key := repo.Name() + " " + t.String(); !seen[key] {
				seen[key] = true
				all = append(all, query{host: repo.RegistryStr(), ask: func(ctx context.Context) error {
					return r.mayPush(ctx, repo, t)
				}})
			}
		}
		return nil
	}
	for _, i := range p.Images {
		if err := add(i.Repositories, i.Tags[0]); err != nil {
			return nil, err
		}
	}
	for _, c := range p.Charts {
		if len(p.Selected) > 0 {
			break
		}
		if err := add(c.Repositories, c.Tags[0]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mayPush checks the right to push, unless the tag exists: then nothing will be sent, and only
// the build shows whether the release has the same digest. If this store has not published the
// tag, a note says so now.
func (r *access) mayPush(ctx context.Context, repo name.Repository, tag name.Tag) error {
	s, err := r.Session(ctx, repo, repo.Scope(transport.PushScope), repo.Scope(transport.PullScope))
	if err != nil {
		return fmt.Errorf("pushing to %s: %w", repo, network.Clean(err))
	}
	if tag != (name.Tag{}) {
		switch have, err := r.Lookup(ctx, tag); {
		case err != nil:
			return err
		case have != nil:
			return r.noteExisting(tag, have.Digest)
		}
	}
	if err := s.MayPush(ctx); err != nil {
		return fmt.Errorf("pushing to %s: %w", repo, network.Clean(err))
	}
	return nil
}

// noteExisting notes a tag that this store does not know by its digest.
func (r *access) noteExisting(tag name.Tag, digest v1.Hash) error {
	known, ok, err := r.store.Resolve(tag.String())
	if err == nil && (!ok || known.Digest != digest) {
		r.progress.Printf("%s is in the registry already, as %s: publishing fails unless this release is the same; "+
			"if it is another one, %s", tag, digest, r.raise)
	}
	return err
}

// query is something to ask a registry.
type query struct {
	host   string
	ask    func(context.Context) error
	failed *error // set to what ask returns, unless it is nil
}

// queryAll asks everything, which may be nothing, and returns each failure once. Of each
// registry, one query is asked alone, so that a registry that does not answer is reported once
// and asked no more.
func queryAll(ctx context.Context, c *transfer.Client, all []query) error {
	var hosts []string
	of := map[string][]int{}
	for n, q := range all {
		if of[q.host] == nil {
			hosts = append(hosts, q.host)
		}
		of[q.host] = append(of[q.host], n)
	}
	failures := make([]error, len(all))
	err := transfer.Each(ctx, c, hosts, func(ctx context.Context, _ int, host string) error {
		first, others := of[host][0], of[host][1:]
		if failures[first] = all[first].ask(ctx); failures[first] != nil && !answered(failures[first]) {
			for _, n := range others {
				failures[n] = errSilent{host}
			}
			return ctx.Err()
		}
		return transfer.Each(ctx, c, others, func(ctx context.Context, _ int, n int) error {
			failures[n] = all[n].ask(ctx)
			return ctx.Err()
		})
	})
	if err != nil {
		return context.Cause(ctx)
	}
	var errs []error
	for n, q := range all {
		err := failures[n]
		if q.failed != nil {
			*q.failed = err
		}
		if !errors.As(err, &errSilent{}) {
			errs = append(errs, err)
		}
	}
	return output.JoinOnce(errs...)
}

// answered reports whether a registry has answered.
func answered(err error) bool {
	return errors.As(err, new(*transport.Error)) || errors.As(err, &unfit{})
}

// unfit is the error of an image that no release can take, by what its registry answers.
type unfit struct{ error }

func (e unfit) Unwrap() error { return e.error }

// errSilent means that a registry was not asked, because it has left another query unanswered.
type errSilent struct{ host string }

func (e errSilent) Error() string { return fmt.Sprintf("%s does not answer", e.host) }
