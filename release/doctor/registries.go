package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/product"
)

// push reports, for each destination, whether the images and charts may be pushed.
func (e *examination) push(ctx context.Context, f *findings) {
	if why := e.noRegistry(); why != "" {
		f.ok("%s", why)
	}
	for n, d := range e.product.Destinations {
		var repos []name.Reference
		var names []string
		for _, i := range e.product.Images {
			names = append(names, i.Repositories[n])
		}
		for _, c := range e.product.Charts {
			names = append(names, c.Repositories[n])
		}
		for _, path := range names {
			repo, err := name.NewRepository(d.Registry + "/" + path)
			if err != nil {
				f.problem("%v", err)
				return
			}
			if tag := repo.Tag("any"); !slices.Contains(repos, name.Reference(tag)) { // images may share it
				repos = append(repos, tag)
			}
		}
		if len(repos) == 0 {
			e.answers(ctx, f, d)
			continue
		}
		e.all(ctx, f, d.Registry, "repositories", repos, e.mayPush)
	}
}

// mayPush begins an upload to a repository and cancels it.
func (e *examination) mayPush(ctx context.Context, ref name.Reference) error {
	repo := ref.Context()
	s, err := e.client.Session(ctx, repo, repo.Scope(transport.PushScope), repo.Scope(transport.PullScope))
	if err == nil {
		err = s.MayPush(ctx)
	}
	if err != nil {
		return fmt.Errorf("pushing to %s: %w", repo, network.Clean(err))
	}
	return nil
}

// answers reports whether a registry answers, since it is not known what would be pushed there.
func (e *examination) answers(ctx context.Context, f *findings, d product.Destination) {
	repo, err := name.NewRepository(d.Registry + "/any")
	if err == nil {
		_, err = e.client.Date(ctx, repo.Registry)
	}
	if err != nil {
		f.problem("%s: %v: correct the name, the network or its proxy", d.Registry, err)
		return
	}
	f.ok("%s answers; without %s it is not known what to push there; %s", d.Registry, product.File, e.source(ctx, repo))
}

// pull reports, for each registry of bases and third-party images, whether these images can be
// read.
func (e *examination) pull(ctx context.Context, f *findings) {
	if why := e.noRegistry(); why != "" {
		f.ok("%s", why)
		return
	}
	var hosts []string
	images := map[string][]name.Reference{}
	add := func(ref name.Reference) {
		host := ref.Context().RegistryStr()
		if images[host] == nil {
			hosts = append(hosts, host)
		}
		if !slices.ContainsFunc(images[host], func(r name.Reference) bool { return r.Name() == ref.Name() }) {
			images[host] = append(images[host], ref)
		}
	}
	for _, b := range e.product.Bases {
		for _, i := range b.Images {
			add(i.Reference)
		}
	}
	for _, i := range e.product.Images {
		for _, b := range i.Prebuilt {
			if b.Reference != nil {
				add(b.Reference)
			}
		}
	}
	for _, t := range e.product.Airgap.Images {
		add(t.Reference)
	}
	for _, i := range e.product.LockedImages {
		if ref, err := name.NewDigest(i.Reference + "@" + i.Digest.String()); err == nil {
			add(ref)
		}
	}
	if len(hosts) == 0 {
		f.ok("nothing to pull")
	}
	for _, host := range hosts {
		e.all(ctx, f, host, "images", images[host], func(ctx context.Context, ref name.Reference) error {
			_, err := e.client.Head(ctx, ref)
			switch outcome.Of(err) {
			case outcome.There:
			case outcome.Absent:
				return absent{err, ref}
			case outcome.Broken, outcome.Unread, outcome.Unasked:
				return fmt.Errorf("pulling %s: %w", ref, network.Clean(err))
			}
			return nil
		})
	}
}

// absent is a registry's answer that it does not have an image.
type absent struct {
	error
	ref name.Reference
}

func (a absent) Error() string { return a.ref.String() + " is not there: correct the reference" }
func (a absent) Unwrap() error { return a.error }

// all tries every reference of one registry and reports the registry as a whole. The first is
// tried alone, so that a registry that does not answer is asked once.
func (e *examination) all(ctx context.Context, f *findings, registry, what string, refs []name.Reference,
	try func(context.Context, name.Reference) error,
) {
	failed := make([]error, len(refs))
	failed[0] = try(ctx, refs[0])
	if answer := (*transport.Error)(nil); failed[0] == nil || errors.As(failed[0], &answer) {
		var g errgroup.Group
		g.SetLimit(4)
		for n, ref := range refs[1:] {
			g.Go(func() error {
				failed[n+1] = try(ctx, ref)
				return nil
			})
		}
		g.Wait() //nolint:errcheck // failures are kept by index
	}
	failed = slices.DeleteFunc(failed, func(err error) bool { return err == nil })
	f.outage = f.outage || outcome.Failed(errors.Join(failed...))
	source := e.source(ctx, refs[0].Context())
	switch len(failed) {
	case 0:
		f.ok("%s: %d %s, %s", registry, len(refs), what, source)
	case 1:
		f.problem("%s, %s: %s", registry, source, howto.Remedied(failed[0]))
	default:
		f.problem("%s, %s, %d of %d %s: %s", registry, source, len(failed), len(refs), what,
			howto.Remedied(failed[0]))
	}
}

// source names the source of the credentials for a repository.
func (e *examination) source(ctx context.Context, repo name.Repository) string {
	s, err := e.client.CredentialSource(ctx, repo)
	switch {
	case err != nil:
		return "credentials unknown" // a request has reported why
	case s == network.Anonymous:
		return s
	}
	return "credentials from " + s
}

// leeway is how far the clock may be off. Tokens and certificates are valid for a limited time,
// and registries allow for some minutes.
const leeway = 5 * time.Minute

// clock compares the clock with that of each registry that is pushed to.
func (e *examination) clock(ctx context.Context, f *findings) {
	if why := e.noRegistry(); why != "" {
		f.ok("%s", why)
	}
	seen := map[string]bool{}
	for _, d := range e.product.Destinations {
		repo, err := name.NewRepository(d.Registry + "/any")
		if err != nil {
			f.problem("%v", err)
			continue
		}
		if host := repo.RegistryStr(); !seen[host] {
			seen[host] = true
			there, err := e.client.Date(ctx, repo.Registry)
			compare(f, host, time.Now(), there, err)
		}
	}
}

// compare reports how far this machine's clock is from a registry's.
func compare(f *findings, host string, here, there time.Time, err error) {
	const remedy = "set this machine's clock, since logins are valid for a limited time"
	ahead := here.Sub(there).Round(time.Minute)
	switch {
	case err != nil:
		f.ok("not compared: %s does not answer", host) // push reports why
	case there.IsZero():
		f.ok("not compared: %s does not tell the time", host)
	case ahead > leeway:
		f.problem("%s ahead of %s: %s", ahead, host, remedy)
	case ahead < -leeway:
		f.problem("%s behind %s: %s", -ahead, host, remedy)
	default:
		f.ok("that of %s", host)
	}
}
