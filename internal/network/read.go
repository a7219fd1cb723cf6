package network

import (
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/slipway-dev/slipway/internal/output"
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
		if err := notManifest(ref.Context().RegistryStr(), full.Manifest); err != nil {
			return nil, cmp.Or(notText(ref, d), err)
		}
	}
	return d, notText(ref, d)
}

// notText returns an error for the answer of a website, or of a proxy that asks for a login.
func notText(ref name.Reference, d *v1.Descriptor) error {
	if !strings.HasPrefix(string(d.MediaType), "text/") {
		return nil
	}
	return outage{fmt.Errorf("%s answers with %s where a manifest is expected: "+
		"it is not a registry, or a proxy answers in its place", ref.Context().RegistryStr(), d.MediaType)}
}

// maxErrors bounds in bytes the answers that may be errors: what has more is left to its reader.
const maxErrors = 64 << 10

// notManifest returns an error for a document that has nothing of a manifest or an index, with the
// status of success: a registry takes none such, so that something else has answered.
func notManifest(host string, raw []byte) error {
	var answer struct {
		SchemaVersion int              `json:"schemaVersion"`
		MediaType     string           `json:"mediaType"`
		Manifests     *json.RawMessage `json:"manifests"`
		Config        *json.RawMessage `json:"config"`
		Layers        *json.RawMessage `json:"layers"`
	}
	if len(raw) > maxErrors {
		return nil
	}
	if err := json.Unmarshal(raw, &answer); err != nil && len(raw) > 0 && raw[0] == '{' {
		return nil // the reader of the document reports its fault
	}
	if answer.SchemaVersion != 0 || answer.MediaType != "" ||
		cmp.Or(answer.Manifests, answer.Config, answer.Layers) != nil {
		return nil
	}
	return outage{fmt.Errorf("the answer of %s is not a manifest: %s", host,
		cmp.Or(output.Excerpt(string(raw), maxRepeated), "it is empty"))}
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
	return d, cmp.Or(notText(ref, &d.Descriptor), notManifest(ref.Context().RegistryStr(), d.Manifest))
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

// Listed returns a function that reads what a document of a repository lists. A registry that has
// given the document, and then knows no such repository, has not looked.
func Listed(get oci.Get) oci.Get {
	return func(d v1.Descriptor) ([]byte, error) {
		raw, err := get(d)
		if err != nil && Unknown(err) {
			err = outage{fmt.Errorf("%w: the repository was there a moment ago", err)}
		}
		return raw, err
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
