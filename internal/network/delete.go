package network

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/outcome"
)

// ErrNoDelete is the error of a registry that deletes no manifests.
var ErrNoDelete = errors.New("the registry deletes no manifests for this account")

// Delete deletes a manifest. One that does not exist is not an error.
func (s *Session) Delete(ctx context.Context, ref name.Digest) error {
	err := s.o.retry(ctx, func() error { return s.pusher.Delete(ctx, ref) })
	var e *transport.Error
	switch {
	case err == nil || outcome.Of(err) == outcome.Absent:
		return nil
	case errors.As(err, &e) && (e.StatusCode == http.StatusMethodNotAllowed || e.StatusCode == http.StatusForbidden ||
		e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusBadRequest):
		return ErrNoDelete
	}
	return Clean(err)
}
