package network

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Stream opens a blob of a repository. Unlike [Client.Blob] it gives every byte once: after the
// connection broke off, it goes on where it was. It fails at its end if the blob does not have the
// size and the digest of d.
func (c *Client) Stream(ctx context.Context, repo name.Repository, d v1.Descriptor) (io.ReadCloser, error) {
	sum, err := v1.Hasher(d.Digest.Algorithm)
	if err != nil {
		return nil, err
	}
	s := &stream{c: c, repo: repo, d: d, sum: sum}
	s.connect = func() error { return s.open(ctx) }
	s.pause = func() error { return pause(ctx, c.o.backoff(s.failed)) }
	if err := s.connect(); err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// stream is a blob that is read over one or more connections.
type stream struct {
	c    *Client
	repo name.Repository
	d    v1.Descriptor

	connect, pause func() error

	body   io.ReadCloser // nil between two connections
	at     int64         // how much was read
	sum    hash.Hash     // of that
	failed int           // connections that broke off without a byte
}

func (s *stream) wrap(err error) error {
	return fmt.Errorf("reading blob %s of %s: %w", s.d.Digest, s.repo, Clean(err))
}

// Read returns the next bytes of the blob.
func (s *stream) Read(p []byte) (int, error) {
	for {
		if s.body == nil {
			if err := s.connect(); err != nil {
				return 0, s.wrap(err)
			}
		}
		n, err := s.body.Read(p)
		s.at += int64(n)
		s.sum.Write(p[:n])
		if n > 0 {
			s.failed = 0
		}
		switch {
		case s.at > s.d.Size:
			return 0, s.wrap(fmt.Errorf("it has more than the %d bytes that its manifest lists", s.d.Size))
		case err != nil && s.at == s.d.Size: // what else it would say does not matter
			return n, s.verify()
		case errors.Is(err, io.EOF):
			err = io.ErrUnexpectedEOF
		case err == nil:
			return n, nil
		}
		s.body.Close()
		s.body = nil
		if s.failed++; !dropped(err) || s.failed >= s.c.o.Attempts {
			return n, s.wrap(err)
		}
		s.c.o.warn(err, s.failed)
		if err := s.pause(); err != nil || n > 0 {
			return n, err
		}
	}
}

// verify returns [io.EOF] if the bytes have the digest.
func (s *stream) verify() error {
	if have := fmt.Sprintf("%x", s.sum.Sum(nil)); have != s.d.Digest.Hex {
		return s.wrap(fmt.Errorf("its bytes have the digest %s:%s", s.d.Digest.Algorithm, have))
	}
	return io.EOF
}

// open requests the rest of the blob: from the repository, or else from the URLs in its
// descriptor.
func (s *stream) open(ctx context.Context) error {
	session, err := s.c.Session(ctx, s.repo, s.repo.Scope(transport.PullScope))
	if err != nil {
		return err
	}
	here := s.repo.Scheme() + "://" + s.repo.RegistryStr() + "/v2/" + s.repo.RepositoryStr() + "/blobs/" + s.d.Digest.String()
	missing := s.request(ctx, session.rt, here)
	if !Missing(missing) {
		return missing
	}
	for _, u := range s.d.URLs {
		if err = s.request(ctx, s.c.rt, u); err == nil {
			return nil
		}
		missing = err
		var answer *transport.Error
		if errors.As(err, &answer) {
			missing = fmt.Errorf("%s answers %d %s", redactURL(answer.Request.URL), answer.StatusCode, http.StatusText(answer.StatusCode))
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
	if s.at > 0 {
		q.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", s.at, s.d.Size-1))
	}
	a, err := (&http.Client{Transport: rt}).Do(q)
	if err != nil {
		return err
	}
	if err := transport.CheckError(a, http.StatusOK, http.StatusPartialContent); err != nil {
		a.Body.Close()
		return err
	}
	if a.StatusCode == http.StatusPartialContent {
		if got := a.Header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", s.at)) {
			a.Body.Close()
			return fmt.Errorf("%s answers with the range %.100q where the one from byte %d was requested", q.URL.Host, got, s.at)
		}
	} else if _, err := io.CopyN(io.Discard, a.Body, s.at); err != nil { // it knows no ranges
		a.Body.Close()
		return err
	}
	s.body = a.Body
	return nil
}

// Close ends the reading.
func (s *stream) Close() error {
	if s.body == nil {
		return nil
	}
	return s.body.Close()
}
