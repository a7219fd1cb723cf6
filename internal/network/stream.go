package network

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Stream opens a blob of a repository. The reader gives every byte once: after a broken
// connection it continues at the same place. Its end is an error if the blob does not have the
// size and the digest of d.
func (c *Client) Stream(ctx context.Context, repo name.Repository, d v1.Descriptor) (io.ReadCloser, error) {
	return c.stream(ctx, repo, d, func(err error) error {
		return fmt.Errorf("reading blob %s of %s: %w", d.Digest, repo, Clean(err))
	})
}

// Blob is [Client.Stream] for a caller that names the blob in its errors.
func (c *Client) Blob(ctx context.Context, repo name.Repository, d v1.Descriptor) (io.ReadCloser, error) {
	return c.stream(ctx, repo, d, Clean)
}

func (c *Client) stream(ctx context.Context, repo name.Repository, d v1.Descriptor,
	wrap func(error) error,
) (io.ReadCloser, error) {
	sum, err := v1.Hasher(d.Digest.Algorithm)
	if err != nil {
		return nil, err
	}
	s := &stream{resumed: resumed{c: c, ctx: ctx, size: d.Size, ended: -1}, repo: repo, d: d, sum: sum, wrap: wrap}
	s.connect = s.open
	if err := s.connect(); err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// stream is a blob that is read over one or more connections.
type stream struct {
	resumed

	repo name.Repository
	d    v1.Descriptor
	sum  hash.Hash // of the bytes read
	wrap func(error) error
}

// Read returns the next bytes of the blob.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.resumed.Read(p)
	s.sum.Write(p[:n])
	switch {
	case s.at > s.d.Size:
		return 0, s.wrap(s.larger())
	case err != nil && s.at == s.d.Size:
		return n, s.verify()
	case err != nil && s.at > 0 && s.right():
		return n, s.wrap(outcome.Damage(fmt.Errorf("it has %d bytes, and its manifest lists %d", s.at, s.d.Size)))
	case err != nil:
		return n, s.wrap(err)
	}
	return n, nil
}

// right reports whether the bytes read have the digest.
func (s *stream) right() bool { return fmt.Sprintf("%x", s.sum.Sum(nil)) == s.d.Digest.Hex }

// verify returns [io.EOF] if the bytes have the digest.
func (s *stream) verify() error {
	if !s.right() {
		return s.wrap(otherBytes(s.repo.RegistryStr(), fmt.Errorf("its bytes have the digest %s:%x",
			s.d.Digest.Algorithm, s.sum.Sum(nil))))
	}
	return io.EOF
}

// larger returns the error of a blob with more bytes than its descriptor lists. The fault is the
// descriptor's if all of them have the digest, which is checked for possible documents.
func (s *stream) larger() error {
	err := fmt.Errorf("it has more than the %d bytes that its manifest lists", s.d.Size)
	if s.body != nil {
		io.Copy(s.sum, io.LimitReader(s.body, oci.MaxConfig)) //nolint:errcheck // it has another digest then
	}
	if s.right() {
		return outcome.Damage(err)
	}
	return otherBytes(s.repo.RegistryStr(), err)
}

// open requests the rest of the blob: from the repository, or else from the URLs in its descriptor,
// since the registry of old Windows bases does not have their layers
// (https://github.com/opencontainers/image-spec/blob/main/layer.md#non-distributable-layers).
func (s *stream) open() error {
	session, err := s.c.Session(s.ctx, s.repo, s.repo.Scope(transport.PullScope))
	if err != nil {
		return err
	}
	at := session.url("blobs/" + s.d.Digest.String())
	ctx, registry := s.c.answering(s.ctx, at)
	missing := s.request(ctx, session.rt, at)
	if outcome.Of(missing) != outcome.Absent {
		return missing
	}
	for _, u := range elsewhere(s.d) {
		if err = s.request(s.ctx, s.c.foreign(registry()), u); err == nil {
			return nil
		}
		missing = err
		var answer *transport.Error
		if errors.As(err, &answer) {
			missing = fmt.Errorf("%s answers %d %s", redactURL(answer.Request.URL), answer.StatusCode,
				http.StatusText(answer.StatusCode))
		}
	}
	return missing
}

// request requests the rest of the blob from one address.
func (s *stream) request(ctx context.Context, rt http.RoundTripper, u string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return err
	}
	s.ask(q, strconv.FormatInt(s.d.Size-1, 10))
	a, err := (&http.Client{Transport: rt}).Do(q)
	if err != nil {
		return err
	}
	s.name = q.URL.Host
	if a.StatusCode == http.StatusRequestedRangeNotSatisfiable && a.Header.Get("Content-Range") ==
		fmt.Sprintf("bytes */%d", s.at) {
		a.Body.Close()
		return s.short()
	}
	err = transport.CheckError(a, http.StatusOK, http.StatusPartialContent)
	var rest bool
	if err == nil {
		rest, err = s.ranged(a)
	}
	if err != nil {
		a.Body.Close()
		return err
	}
	if s.body, s.skip = a.Body, s.at; rest {
		s.skip = 0
	}
	return nil
}
