package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Head resolves a reference. If HEAD fails, GET reports why, and helps with registries that omit
// the digest.
func (c *Client) Head(ctx context.Context, ref name.Reference) (*v1.Descriptor, error) {
	s, err := c.Session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	d, err := s.Head(ctx, ref)
	if outcome.Of(err) == outcome.Absent || errors.As(err, new(*url.Error)) {
		return nil, err
	}
	if err != nil {
		full, err := s.Get(ctx, ref)
		if err != nil {
			return nil, err
		}
		d = &full.Descriptor
	}
	return d, notText(ref, d)
}

// notText returns an error for the answer of a website, or of a proxy that asks for a login.
func notText(ref name.Reference, d *v1.Descriptor) error {
	if !strings.HasPrefix(string(d.MediaType), "text/") {
		return nil
	}
	return fmt.Errorf("%s answers with %s where a manifest is expected: "+
		"it is not a registry, or a proxy answers in its place", ref.Context().RegistryStr(), d.MediaType)
}

// Get reads the manifest or index that a reference names.
func (c *Client) Get(ctx context.Context, ref name.Reference) (*remote.Descriptor, error) {
	s, err := c.Session(ctx, ref.Context(), ref.Context().Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	d, err := s.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	return d, notText(ref, &d.Descriptor)
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

// late returns that a document was too slow, if that is why it could not be read.
func late(ctx context.Context, err error) error {
	var t *tardy
	if err != nil && errors.As(context.Cause(ctx), &t) {
		return t
	}
	return err
}

// Configs returns a function that reads configurations of a repository.
func (c *Client) Configs(ctx context.Context, repo name.Repository) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		if d.Size > oci.MaxConfig {
			return nil, oci.TooLarge("configuration", d, oci.MaxConfig)
		}
		limit := c.o.documentTime(d.Size)
		ctx, cancel := context.WithTimeoutCause(ctx, limit, &tardy{repo.RegistryStr(), limit})
		defer cancel()
		r, err := c.Blob(ctx, repo, d)
		if err != nil {
			return nil, late(ctx, err)
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		return b, late(ctx, err)
	}
}
