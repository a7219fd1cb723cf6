package network

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxAnswer bounds in bytes every answer that is not a blob: manifests, lists of tags, errors.
const maxAnswer = 16 << 20

// maxRedirects bounds how often a request is redirected. net/http has the same bound, but
// go-containerregistry's check of redirects replaces it.
const maxRedirects = 10

// registry rejects answers that no registry gives. A captive portal, a proxy that asks for a
// login and a website answer 200 to everything: what they were sent is lost, and what they send
// is not a manifest. Only the statuses of the distribution specification mean success
// (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#endpoints).
type registry struct{ inner http.RoundTripper }

func (r registry) RoundTrip(q *http.Request) (*http.Response, error) {
	first := q // the request before any redirect
	for redirects := 0; first.Response != nil && first.Response.Request != nil; first = first.Response.Request {
		if redirects++; redirects > maxRedirects {
			return nil, fmt.Errorf("%s redirects more than %d times, as no registry does", q.URL.Host, maxRedirects)
		}
	}
	blob := first.Method == http.MethodGet && strings.Contains(first.URL.Path, "/blobs/")
	if !blob {
		q = ofDocument(q, maxAnswer)
	}
	a, err := r.inner.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	kind := a.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "text/html") && a.StatusCode == http.StatusNotFound && content(first) {
		a.Body.Close()
		return nil, foreignAnswer(first, a)
	}
	if a.StatusCode >= 200 && a.StatusCode < 300 {
		success := successes(first)
		if success != nil && !slices.Contains(success, a.StatusCode) || !blob && strings.HasPrefix(kind, "text/html") {
			a.Body.Close()
			return nil, foreignAnswer(first, a)
		}
	}
	if !blob {
		a.Body = &bounded{a.Body, maxAnswer, first.URL.Host}
	}
	if a.StatusCode == http.StatusOK && asksToken(first) {
		if err := tokened(first.URL.Host, a); err != nil {
			a.Body.Close()
			return nil, err
		}
	}
	return a, nil
}

// content reports whether a request is for a manifest, a blob or tags, of which a registry says in
// JSON that they are not there.
func content(q *http.Request) bool {
	p := q.URL.Path
	return strings.HasPrefix(p, "/v2/") &&
		(strings.Contains(p, "/manifests/") || strings.Contains(p, "/blobs/") || strings.HasSuffix(p, "/tags/list"))
}

// foreignAnswer is the error of an answer that is not a registry's.
func foreignAnswer(q *http.Request, a *http.Response) error {
	return fmt.Errorf("%s answers %s with content type %q, as no registry does: "+
		"a captive portal, or a proxy that asks for a login, may answer in its place",
		q.URL.Host, a.Status, a.Header.Get("Content-Type"))
}

// successes lists the statuses with which a registry confirms a request; nil for requests outside
// the distribution API, such as those for tokens.
func successes(q *http.Request) []int {
	api := strings.HasPrefix(q.URL.Path, "/v2/")
	switch q.Method {
	case http.MethodPut:
		if strings.Contains(q.URL.Path, "/manifests/") {
			// Registries older than the specification answer 202. The manifest is asked for
			// later.
			return []int{http.StatusCreated, http.StatusAccepted}
		}
		return []int{http.StatusCreated}
	case http.MethodPatch:
		// older registries give the latter two
		return []int{http.StatusAccepted, http.StatusCreated, http.StatusNoContent}
	case http.MethodPost:
		if api {
			return []int{http.StatusAccepted, http.StatusCreated}
		}
	case http.MethodGet, http.MethodHead:
		if api && q.Header.Get("Range") != "" {
			return []int{http.StatusOK, http.StatusPartialContent}
		}
		if api {
			return []int{http.StatusOK}
		}
	}
	return nil
}

// bounded is a body that fails if it is longer than maxAnswer.
type bounded struct {
	io.ReadCloser
	left int64
	host string
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%s answers with more than %d bytes, as no registry does", b.host, maxAnswer)
	}
	return n, err
}
