package network

import (
	"context"
	"net/http"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// MayPush begins an upload to the repository, which a registry refuses without the right to push,
// and cancels it. The session must have the scope to push. A registry that cannot cancel an upload
// drops it after a while.
func (s *Session) MayPush(ctx context.Context) error {
	a, err := s.do(ctx, http.MethodPost, s.url("blobs/uploads/"), nil, nil, http.StatusAccepted)
	if err != nil {
		return err
	}
	a.Body.Close()
	at, err := a.Location()
	if err != nil {
		return nil //nolint:nilerr // then it cannot be canceled
	}
	if a, err = s.do(ctx, http.MethodDelete, at.String(), nil, nil, http.StatusNoContent); err == nil {
		a.Body.Close()
	}
	return nil
}

// PutBlob sends a small blob with two requests, whether the repository has it or not
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#post-then-put). The
// session must have the scope to push.
func (s *Session) PutBlob(ctx context.Context, h v1.Hash, blob []byte) error {
	return s.o.retry(ctx, func() error {
		a, err := s.do(ctx, http.MethodPost, s.url("blobs/uploads/"), nil, nil, http.StatusAccepted)
		if err != nil {
			return err
		}
		a.Body.Close()
		to, err := a.Location()
		if err != nil {
			return err
		}
		query := to.Query()
		query.Set("digest", h.String())
		to.RawQuery = query.Encode()
		header := http.Header{"Content-Type": {"application/octet-stream"}}
		a, err = s.do(ctx, http.MethodPut, to.String(), header, blob, http.StatusCreated)
		if err != nil {
			return err
		}
		return a.Body.Close()
	})
}
