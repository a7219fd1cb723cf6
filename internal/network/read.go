package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Head returns what a reference stands for. Where HEAD fails, GET says why, and helps with
// registries that leave out the digest.
func (c *Client) Head(ctx context.Context, ref name.Reference) (*v1.Descriptor, error) {
	s, err := c.Session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	d, err := s.Head(ctx, ref)
	var network *url.Error
	if Missing(err) || errors.As(err, &network) {
		return nil, err
	}
	if err != nil {
		full, err := s.Get(ctx, ref)
		if err != nil {
			return nil, err
		}
		d = &full.Descriptor
	}
	// as a proxy has it that asks for a login, or a website
	if strings.HasPrefix(string(d.MediaType), "text/") {
		return nil, fmt.Errorf("%s answers with %s where a manifest is expected: it is no registry, or something stands before it", ref.Context().RegistryStr(), d.MediaType)
	}
	return d, nil
}

// Get reads the manifest or index that a reference stands for.
func (c *Client) Get(ctx context.Context, ref name.Reference) (*remote.Descriptor, error) {
	s, err := c.Session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, ref)
}

// Blob reads a blob of a repository: use gets its bytes, anew where they broke off before. The
// reader has at most one byte more than d says, which is enough to know that the blob is another
// one.
func (c *Client) Blob(ctx context.Context, repo name.Repository, d v1.Descriptor, use func(io.Reader) error) error {
	return c.Retry(ctx, func() error {
		r, err := c.open(ctx, repo, d)
		if err != nil {
			return err
		}
		defer r.Close()
		return use(io.LimitReader(r, d.Size+1))
	})
}

// open asks the repository for the blob, and then the places that its descriptor names: layers of
// old Windows bases lie elsewhere than in their registry
// (https://github.com/opencontainers/image-spec/blob/main/layer.md#non-distributable-layers).
func (c *Client) open(ctx context.Context, repo name.Repository, d v1.Descriptor) (io.ReadCloser, error) {
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	l, err := s.Layer(ctx, d.Digest)
	if err != nil {
		return nil, err
	}
	r, err := l.Compressed()
	if err == nil || len(d.URLs) == 0 || !Missing(err) {
		return r, err
	}
	for _, u := range d.URLs {
		if r, err = c.openURL(ctx, u); err == nil {
			return r, nil
		}
	}
	return nil, err
}

// Download reads what a URL stands for: use gets its bytes, anew where they broke off before.
func (c *Client) Download(ctx context.Context, u string, use func(io.Reader) error) error {
	return c.Retry(ctx, func() error {
		r, err := c.openURL(ctx, u)
		if err != nil {
			return err
		}
		defer r.Close()
		return use(r)
	})
}

func (c *Client) openURL(ctx context.Context, u string) (io.ReadCloser, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	a, err := (&http.Client{Transport: c.rt}).Do(q)
	if err != nil {
		return nil, Clean(err)
	}
	if a.StatusCode != http.StatusOK {
		a.Body.Close()
		return nil, fmt.Errorf("%s answers %s", bare(a.Request.URL), a.Status)
	}
	return a.Body, nil
}
