package network

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Session is an authenticated connection to one repository, which retries requests; only
// [Client.Retry] retries above it.
type Session struct {
	repo   name.Repository
	scopes []string
	o      Options
	once   sync.Once
	err    error
	rt     http.RoundTripper
	pusher *remote.Pusher
	puller *remote.Puller
}

func (s *Session) begin(ctx context.Context, c *Client) error {
	auth, err := c.credentials(ctx, s.repo)
	if err != nil {
		return err
	}
	err = c.o.retry(ctx, func() (err error) { // the body of a token may break off
		s.rt, err = transport.NewWithContext(ctx, s.repo.Registry, auth, registry{c.rt}, s.scopes)
		return err
	})
	if err != nil {
		return Clean(err)
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

// url returns the address of something of the repository.
func (s *Session) url(path string) string {
	return (&url.URL{
		Scheme: s.repo.Scheme(), Host: s.repo.RegistryStr(),
		Path: "/v2/" + s.repo.RepositoryStr() + "/" + path,
	}).String()
}

// do makes a request. An answer with another status is an error.
func (s *Session) do(ctx context.Context, method, u string, header http.Header,
	body []byte, statuses ...int,
) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, u, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(q.Header, header)
	a, err := (&http.Client{Transport: s.rt}).Do(q)
	if err != nil {
		return nil, err
	}
	if err := transport.CheckError(a, statuses...); err != nil {
		a.Body.Close()
		return nil, err
	}
	return a, nil
}

// Head resolves a reference.
func (s *Session) Head(ctx context.Context, ref name.Reference) (*v1.Descriptor, error) {
	return s.puller.Head(ctx, ref)
}

// Get reads a manifest or an index, again if its body breaks off.
func (s *Session) Get(ctx context.Context, ref name.Reference) (d *remote.Descriptor, err error) {
	err = s.o.retry(ctx, func() error {
		d, err = s.puller.Get(ctx, ref)
		return err
	})
	switch {
	case err == nil && len(d.Manifest) > oci.MaxManifest:
		return nil, outcome.Damage(fmt.Errorf("%s has %d bytes: a manifest may have at most %d", ref, len(d.Manifest),
			oci.MaxManifest))
	case err != nil && strings.Contains(err.Error(), otherDigest):
		return nil, otherBytes(ref.Context().RegistryStr(), err)
	}
	return d, err
}

// otherDigest is in the error of go-containerregistry, which has no type of its own, about a
// manifest whose bytes have another digest than the requested one.
const otherDigest = "does not match requested digest"

// Layer returns a blob of the repository, which is read when it is opened.
func (s *Session) Layer(ctx context.Context, h v1.Hash) (v1.Layer, error) {
	return s.puller.Layer(ctx, s.repo.Digest(h.String()))
}

// Upload sends a blob, or mounts it.
func (s *Session) Upload(ctx context.Context, l v1.Layer) error {
	return s.pusher.Upload(ctx, s.repo, l)
}
