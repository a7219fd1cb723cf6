package network

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxUndeclared bounds in bytes a file of which the server does not state the size before.
const maxUndeclared = 1 << 30

// Download opens a URL outside of the distribution API. The reader gives every byte once: after a
// broken connection it continues at the same place, with the bytes that the server has then.
// Whether these are of one file, the digest of the bytes decides. Before a byte is read, room
// decides whether there is room for a file of that size; nil allows any.
func (c *Client) Download(ctx context.Context, u string, room func(size int64) error) (io.ReadCloser, error) {
	d := &download{resumed: resumed{c: c, ctx: ctx, size: -1}, url: u, room: room}
	d.resumed.connect = d.connect
	if err := d.connect(); err != nil {
		return nil, err
	}
	return d, nil
}

// StatusError is an answer without the file.
type StatusError struct {
	URL  string // without a password and a query
	Text string // 404 Not Found
	Code int
}

func (e *StatusError) Error() string { return e.URL + " answers " + e.Text }

// Status returns the status of HTTP.
func (e *StatusError) Status() int { return e.Code }

// download is a file that is read over one or more connections.
type download struct {
	resumed

	url  string
	room func(size int64) error
	end  int64  // how long the file may be
	same string // the value of If-Range; "" if the server gives none
}

// Read returns the next bytes of the file.
func (d *download) Read(p []byte) (int, error) {
	n, err := d.resumed.Read(p)
	if d.at > d.end {
		return 0, fmt.Errorf("%s sends more than %d bytes, and did not tell the size before", d.name, d.end)
	}
	return n, err
}

// connect requests the rest of the file.
func (d *download) connect() error {
	q, err := http.NewRequestWithContext(d.ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Accept-Encoding", "identity") // the transport would unpack another, and count other bytes
	d.ask(q, "")
	if q.Header.Get("Range") != "" && d.same != "" {
		q.Header.Set("If-Range", d.same)
	}
	a, err := (&http.Client{Transport: d.c.rt}).Do(q)
	if err != nil {
		return Clean(err)
	}
	if err := d.take(a); err != nil {
		a.Body.Close()
		return err
	}
	d.body = a.Body
	return nil
}

// take checks that an answer has the rest of the file, or all of it.
func (d *download) take(a *http.Response) error {
	d.name, d.skip = redactURL(a.Request.URL), 0
	switch rest, err := d.ranged(a); {
	case rest || err != nil:
		return err
	case a.StatusCode != http.StatusOK:
		return &StatusError{d.name, a.Status, a.StatusCode}
	}
	if d.same = a.Header.Get("ETag"); d.same == "" || strings.HasPrefix(d.same, "W/") { // RFC 9110, section 13.1.5
		d.same = a.Header.Get("Last-Modified")
	}
	d.skip = d.at // it knows no ranges, or has another file
	if d.end = max(d.end, maxUndeclared); a.ContentLength > d.end {
		d.end = a.ContentLength
	}
	if a.ContentLength > 0 && d.room != nil {
		return d.room(a.ContentLength - d.at)
	}
	return nil
}
