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

	"github.com/slipway-dev/slipway/internal/oci"
)

// Head resolves a reference. If HEAD fails, GET reports why, and helps with registries that omit
// the digest.
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
	// as of a website, or a proxy that asks for a login
	if strings.HasPrefix(string(d.MediaType), "text/") {
		return nil, fmt.Errorf("%s answers with %s where a manifest is expected: it is not a registry, or a proxy answers in its place", ref.Context().RegistryStr(), d.MediaType)
	}
	return d, nil
}

// Get reads the manifest or index that a reference names.
func (c *Client) Get(ctx context.Context, ref name.Reference) (*remote.Descriptor, error) {
	s, err := c.Session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, ref)
}

// Manifests returns a function that reads indexes and manifests of a repository.
func (c *Client) Manifests(ctx context.Context, repo name.Repository) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		got, err := c.Get(ctx, repo.Digest(d.Digest.String()))
		if err != nil {
			return nil, err
		}
		return got.Manifest, nil
	}
}

// Configs returns a function that reads configurations of a repository.
func (c *Client) Configs(ctx context.Context, repo name.Repository) oci.Get {
	return func(d v1.Descriptor) (raw []byte, err error) {
		if d.Size > oci.MaxConfig {
			return nil, oci.TooLarge("configuration", d, oci.MaxConfig)
		}
		err = c.Blob(ctx, repo, d, func(r io.Reader) error {
			raw, err = io.ReadAll(r)
			return err
		})
		return raw, err
	}
}

// Blob reads a blob of a repository. It passes the bytes to use, and again from the start after
// the connection broke off. The reader has at most one byte more than d.Size, which is enough to
// detect a longer blob.
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

// open requests the blob from the repository, and then from the URLs in its descriptor: the
// registry of old Windows bases does not have their layers
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
		return nil, fmt.Errorf("%s answers %s", redactURL(a.Request.URL), a.Status)
	}
	return a.Body, nil
}
