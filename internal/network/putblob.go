package network

import (
	"bytes"
	"context"
	"net/http"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// PutBlob sends a small blob with two requests, whether the repository has it or not
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#post-then-put). The session
// must have the scope to push.
func (s *Session) PutBlob(ctx context.Context, h v1.Hash, blob []byte) error {
	return s.o.retry(ctx, func() error {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url("blobs/uploads/"), nil)
		if err != nil {
			return err
		}
		a, err := (&http.Client{Transport: s.rt}).Do(q)
		if err != nil {
			return err
		}
		a.Body.Close()
		if err := transport.CheckError(a, http.StatusAccepted); err != nil {
			return err
		}
		to, err := a.Location()
		if err != nil {
			return err
		}
		query := to.Query()
		query.Set("digest", h.String())
		to.RawQuery = query.Encode()
		if q, err = http.NewRequestWithContext(ctx, http.MethodPut, to.String(), bytes.NewReader(blob)); err != nil {
			return err
		}
		q.Header.Set("Content-Type", "application/octet-stream")
		if a, err = (&http.Client{Transport: s.rt}).Do(q); err != nil {
			return err
		}
		defer a.Body.Close()
		return transport.CheckError(a, http.StatusCreated)
	})
}
