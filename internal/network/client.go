package network

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/output"
)

// Client talks to registries and other servers. Each repository has its own session, because a
// token is valid for the repositories that it names. Several goroutines may use a Client.
type Client struct {
	o     Options
	rt    http.RoundTripper
	plain http.RoundTripper // makes each request once
	lanes *lanes

	mu       sync.Mutex
	sessions map[string]*Session
}

// New returns a client that sends requests through o.Transport.
func New(o Options) *Client {
	o = o.Defaults()
	l := newLanes(o)
	return newClient(o, l, watchful{named{secure{o.Transport}}, o, l})
}

// Local returns a client that sends every request to h in this process, whatever host it names.
func Local(o Options, h http.RoundTripper) *Client {
	o = o.Defaults()
	return newClient(o, newLanes(o), h)
}

func newClient(o Options, l *lanes, inner http.RoundTripper) *Client {
	rt := newGate(newRetrying(inner, o, l), o.Limit)
	return &Client{o: o, rt: rt, plain: inner, lanes: l, sessions: map[string]*Session{}}
}

// Session returns the session for a repository. The first call begins the session and requests
// the scopes, those of mounts from other repositories included. A call that needs further ones
// begins another session, with all of them.
func (c *Client) Session(ctx context.Context, repo name.Repository, scopes ...string) (*Session, error) {
	c.mu.Lock()
	s := c.sessions[repo.Name()]
	if s == nil || !s.covers(scopes) {
		if s != nil {
			scopes = slices.Concat(scopes, s.scopes)
		}
		s = &Session{repo: repo, o: c.o, scopes: scopes}
		c.sessions[repo.Name()] = s
	}
	c.mu.Unlock()
	s.once.Do(func() {
		if err := s.begin(ctx, c); err != nil {
			s.err = outage{err}
		}
	})
	return s, s.err
}

// covers reports whether the session has all scopes. The one to push includes the one to pull.
func (s *Session) covers(scopes []string) bool {
	for _, scope := range scopes {
		push := scope == s.repo.Scope(transport.PullScope) &&
			slices.Contains(s.scopes, s.repo.Scope(transport.PushScope))
		if !push && !slices.Contains(s.scopes, scope) {
			return false
		}
	}
	return true
}

// named adds the name of this program to each request, and registers every credential, also the
// tokens of registries, as a secret.
type named struct{ inner http.RoundTripper }

// sent has the Authorization headers that are registered as secrets.
var sent sync.Map

func (n named) RoundTrip(q *http.Request) (*http.Response, error) {
	if a := q.Header.Get("Authorization"); a != "" {
		if _, known := sent.LoadOrStore(a, true); !known {
			_, secret, _ := strings.Cut(a, " ")
			output.Secret(secret)
		}
	}
	q = q.Clone(q.Context())
	q.Header.Set("User-Agent", Agent)
	return n.inner.RoundTrip(q)
}
