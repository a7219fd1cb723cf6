package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// resumed is a body that is read over one or more connections: it goes on where one broke off.
type resumed struct {
	c       *Client
	ctx     context.Context //nolint:containedctx // it is the state of one call
	connect func() error    // requests the rest, and sets body and skip
	size    int64           // of the body; -1 if it ends where the connection does

	name   string        // what answers, for messages
	body   io.ReadCloser // nil between two connections
	at     int64         // how much was read
	skip   int64         // how much of that the connection gives again
	failed int           // connections that broke off without a byte
}

// Read returns the next bytes of the body.
func (r *resumed) Read(p []byte) (int, error) {
	for {
		if r.body == nil {
			if err := r.connect(); err != nil {
				return 0, err
			}
		}
		n, err := r.next(p)
		r.at += int64(n)
		if n > 0 {
			r.failed = 0
		}
		switch {
		case err != nil && r.at == r.size: // what else it would say does not matter
			return n, io.EOF
		case errors.Is(err, io.EOF) && r.at < r.size:
			err = io.ErrUnexpectedEOF
		case err == nil || errors.Is(err, io.EOF):
			return n, err
		}
		r.body.Close()
		r.body = nil
		if r.failed++; !dropped(err) || r.failed >= r.c.o.Attempts {
			return n, err
		}
		r.c.o.warn(err, r.failed)
		if err := pause(r.ctx, r.c.o.backoff(r.failed)); err != nil || n > 0 {
			return n, err
		}
	}
}

// next reads from the connection, after what was read before.
func (r *resumed) next(p []byte) (int, error) {
	n, err := io.CopyN(io.Discard, r.body, r.skip)
	r.skip -= n
	switch {
	case errors.Is(err, io.EOF):
		return 0, fmt.Errorf("%s has fewer than the %d bytes that were read: the file has changed", r.name, r.at)
	case err != nil:
		return 0, err
	}
	return r.body.Read(p)
}

// ranged reports whether an answer has the rest of the body alone. A range that begins elsewhere is
// an error.
func (r *resumed) ranged(a *http.Response) (bool, error) {
	if a.StatusCode != http.StatusPartialContent || r.at == 0 {
		return false, nil
	}
	if got := a.Header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", r.at)) {
		return false, fmt.Errorf("%s answers with the range %.100q where the one from byte %d was requested",
			r.name, got, r.at)
	}
	return true, nil
}

// Close ends the reading.
func (r *resumed) Close() error {
	if r.body == nil {
		return nil
	}
	return r.body.Close()
}
