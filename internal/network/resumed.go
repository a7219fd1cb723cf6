package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
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
	ended  int64         // where a connection ended that did not break off; -1 if none did
	whole  bool          // the host answers with other ranges than those requested
}

// Read returns the next bytes of the body.
func (r *resumed) Read(p []byte) (int, error) {
	for {
		if r.body == nil {
			err := r.connect()
			if errors.As(err, new(*wrongRange)) && !r.whole {
				r.whole = true
				err = r.connect()
			}
			if err != nil {
				return 0, r.after(err)
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
		case errors.Is(err, io.EOF) && r.at < r.size && r.ended == r.at:
			return n, r.short()
		case errors.Is(err, io.EOF) && r.at < r.size: // a proxy may have cut it
			r.ended, err = r.at, io.ErrUnexpectedEOF
		case err == nil || errors.Is(err, io.EOF):
			return n, err
		}
		r.body.Close()
		r.body = nil
		switch r.failed++; {
		case !dropped(err):
			return n, r.after(err)
		case r.failed >= r.c.o.Attempts:
			return n, cut{r.after(err)}
		}
		r.c.o.warn(err, r.failed)
		if err := pause(r.ctx, r.c.o.backoff(r.failed)); err != nil || n > 0 {
			return n, err
		}
	}
}

// after adds to an error how much was read before.
func (r *resumed) after(err error) error {
	switch {
	case r.size >= 0:
		return fmt.Errorf("%s sent %d of %d bytes: %w", r.name, r.at, r.size, err)
	case r.at > 0:
		return fmt.Errorf("%s sent %d bytes: %w", r.name, r.at, err)
	}
	return err
}

// short is the error of a server that has fewer bytes than the body should have.
func (r *resumed) short() error {
	return otherBytes(r.name, fmt.Errorf("%s has %d of %d bytes", r.name, r.at, r.size))
}

// next reads from the connection, after the bytes read before.
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

// ask requests the rest of the body alone, up to last; "" is its end.
func (r *resumed) ask(q *http.Request, last string) {
	if r.at > 0 && !r.whole {
		q.Header.Set("Range", fmt.Sprintf("bytes=%d-%s", r.at, last))
	}
}

// wrongRange is an answer with a range that was not requested.
type wrongRange struct {
	name, got string
	from      int64
}

func (e *wrongRange) Error() string {
	return fmt.Sprintf("%s answers with the range %.100q where the one from byte %d was requested",
		e.name, e.got, e.from)
}

// ranged reports whether an answer has the rest of the body alone, or the begin of that (RFC 9110,
// section 14.4). Another range is a [wrongRange].
func (r *resumed) ranged(a *http.Response) (bool, error) {
	if a.StatusCode != http.StatusPartialContent || r.at == 0 {
		return false, nil
	}
	got := a.Header.Get("Content-Range")
	bounds, size, _ := strings.Cut(got, "/")
	if r.whole || !strings.HasPrefix(bounds, fmt.Sprintf("bytes %d-", r.at)) ||
		r.size >= 0 && size != "*" && size != strconv.FormatInt(r.size, 10) {
		return false, &wrongRange{r.name, got, r.at}
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
