package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish/registry"
	"github.com/slipway-dev/slipway/store"
)

// client talks to registries. Each repository has a session of its own, because a token holds for the repositories it names.
type client struct {
	o  Options
	rt http.RoundTripper

	mu       sync.Mutex
	sessions map[string]*session
}

// session is an authenticated way to one repository. Requests are retried below it, so nothing above it does so.
type session struct {
	once   sync.Once
	err    error
	rt     http.RoundTripper
	pusher *remote.Pusher
	puller *remote.Puller
}

// newClient returns a client that sends through o.Transport, or through inner where that is not nil.
func newClient(o Options, inner http.RoundTripper) *client {
	if inner == nil {
		inner = secure{o.Transport}
	}
	return &client{o: o, rt: newRetrying(inner, o), sessions: map[string]*session{}}
}

// embedded returns the way into the embedded registry for a snapshot, and nil for a release.
func embedded(st *store.Store, p *product.Product) http.RoundTripper {
	if !p.Snapshot() {
		return nil
	}
	return registry.Transport(registry.New(st, nil))
}

// session returns the session for a repository. The scopes are asked for when the session begins, the first time; mounts
// from other repositories need theirs then.
func (c *client) session(ctx context.Context, repo name.Repository, scopes ...string) (*session, error) {
	c.mu.Lock()
	s := c.sessions[repo.Name()]
	if s == nil {
		s = &session{}
		c.sessions[repo.Name()] = s
	}
	c.mu.Unlock()
	s.once.Do(func() { s.err = s.begin(ctx, c, repo, scopes) })
	return s, s.err
}

func (s *session) begin(ctx context.Context, c *client, repo name.Repository, scopes []string) error {
	auth, err := authn.Resolve(ctx, c.o.Keychain, repo)
	if err != nil {
		return fmt.Errorf("finding credentials for %s: %w", repo.RegistryStr(), err)
	}
	if s.rt, err = transport.NewWithContext(ctx, repo.Registry, auth, c.rt, scopes); err != nil {
		return clean(err)
	}
	options := []remote.Option{
		remote.WithTransport(s.rt), remote.WithNondistributable, remote.WithJobs(c.o.Jobs),
		remote.WithRetryBackoff(remote.Backoff{Steps: 1}),
	}
	if s.pusher, err = remote.NewPusher(options...); err != nil {
		return err
	}
	s.puller, err = remote.NewPuller(options...)
	return err
}

// secure refuses to speak plain HTTP with any machine but this one.
type secure struct{ inner http.RoundTripper }

func (s secure) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Scheme != "https" && !Loopback(q.URL.Host) {
		return nil, fmt.Errorf("%s: plain HTTP is for loopback addresses only", q.URL.Host)
	}
	return s.inner.RoundTrip(q)
}

// missing reports whether err says that a registry does not have what was asked for.
func missing(err error) bool {
	var e *transport.Error
	return errors.As(err, &e) && e.StatusCode == http.StatusNotFound
}
