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

// Download opens a URL outside of the distribution API. It gives every byte once: after the
// connection broke off, it goes on where it was, with the bytes that the server has then. Whether
// these are of one file, the digest of the bytes decides. Before a byte is read, room decides
// whether there is room for a file of that size; nil allows any.
func (c *Client) Download(ctx context.Context, u string, room func(size int64) error) (io.ReadCloser, error) {
	d := &download{resumed: resumed{c: c, ctx: ctx, size: -1}, url: u, room: room}
	d.resumed.connect = d.connect
	if err := d.connect(); err != nil {
		return nil, err
	}
	return d, nil
}

// Archive is Download from an archive of packages, where signatures and digests decide what is
// taken, and which therefore may be one of plain HTTP, as Debian's are. It is not redirected to
// another host: whoever runs a mirror that moved names the new one. Credentials are those that
// apt has for it, or those of NETRC.
func (c *Client) Archive(ctx context.Context, u string, room func(size int64) error) (io.ReadCloser, error) {
	return c.Download(context.WithValue(ctx, archive{}, true), u, room)
}

// archive is the key of requests to archives in their context.
type archive struct{}

// ofArchive reports whether a request is one to an archive.
func ofArchive(ctx context.Context) bool { return ctx.Value(archive{}) != nil }

// stay refuses a redirect that leads to another host.
func stay(q *http.Request, before []*http.Request) error {
	if first := before[0].URL; q.URL.Host != first.Host || q.URL.Scheme != first.Scheme && q.URL.Scheme != "https" {
		return fmt.Errorf("%s redirects to %s: name that one in its place, if it is right",
			redactURL(first), redactURL(q.URL))
	}
	if len(before) >= 10 {
		return fmt.Errorf("%s redirects 10 times", redactURL(before[0].URL))
	}
	return nil
}

// StatusError is an answer without the file.
type StatusError struct {
	URL    string // without a password and a query
	Status string // 404 Not Found
	Code   int
}

func (e *StatusError) Error() string { return e.URL + " answers " + e.Status }

// download is a file that is read over one or more connections.
type download struct {
	resumed

	url  string
	room func(size int64) error
	end  int64  // how long the file may be
	same string // the value of If-Range; "" if the server has none
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
	client := &http.Client{Transport: d.c.rt}
	if ofArchive(d.ctx) {
		client.CheckRedirect = stay
		l, ok, err := archiveLogin(q.URL)
		if err != nil {
			return err
		}
		if ok {
			q.SetBasicAuth(l.name, l.password)
		}
	}
	a, err := client.Do(q)
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
	case a.StatusCode == http.StatusUnauthorized && ofArchive(d.ctx):
		return fmt.Errorf("%w: write credentials for it into the file that NETRC names, or /etc/apt/auth.conf",
			&StatusError{d.name, a.Status, a.StatusCode})
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
