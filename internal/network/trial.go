package network

import (
	"context"
	"net/http"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// MayPush begins an upload to the repository, which a registry refuses without the right to push,
// and cancels it. The session must have the scope to push.
func (s *Session) MayPush(ctx context.Context) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url("blobs/uploads/"), nil)
	if err != nil {
		return err
	}
	a, err := (&http.Client{Transport: s.rt}).Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if err := transport.CheckError(a, http.StatusAccepted); err != nil {
		return err
	}
	s.cancelUpload(ctx, a)
	return nil
}

// cancelUpload cancels an upload. A registry that cannot do this drops the upload after a while.
func (s *Session) cancelUpload(ctx context.Context, begun *http.Response) {
	at, err := begun.Location()
	if err != nil {
		return
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodDelete, at.String(), nil)
	if err != nil {
		return
	}
	if a, err := (&http.Client{Transport: s.rt}).Do(q); err == nil {
		a.Body.Close()
	}
}
