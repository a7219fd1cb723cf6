package network

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
)

// maxToken bounds in bytes how much of an answer that is not JSON an error quotes.
const maxToken = 64

// resources are what the paths of requests of the distribution API contain; the others of a
// registry's session are for tokens, whose server registries choose freely, also below /v2/.
var resources = []string{"/manifests/", "/blobs/", "/tags/", "/referrers/", "/_catalog"}

// asksToken reports whether a request is for a token.
func asksToken(q *http.Request) bool {
	query := q.URL.Query()
	asks := q.Method == http.MethodPost || q.Method == http.MethodGet && (query.Has("scope") || query.Has("service"))
	return asks && !slices.ContainsFunc(resources, func(r string) bool { return strings.Contains(q.URL.Path, r) })
}

// tokened returns an error for an answer of a token server without a token: go-containerregistry's
// error would not name the server. A body that breaks off is the reader's to find out.
func tokened(host string, a *http.Response) error {
	body, err := io.ReadAll(a.Body)
	a.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), failing{err}), a.Body}
	var t struct {
		Token  string `json:"token"`
		Access string `json:"access_token"`
	}
	switch malformed := json.Unmarshal(body, &t); {
	case err == nil && errors.As(malformed, new(*json.SyntaxError)):
		return fmt.Errorf("%s answers a request for a token with \"%s\", which is not JSON: a proxy may answer in its "+
			"place; set HTTPS_PROXY or NO_PROXY, or run again once the server is mended", host,
			output.Excerpt(string(body), maxToken))
	case err == nil && t.Token == "" && t.Access == "":
		return fmt.Errorf("%s answers a request for a token with JSON without one: log in to the registry, or run "+
			"again once the server is mended", host)
	}
	return nil
}

// failing is a reader that fails, or ends if its error is nil.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
