// Package githubtest answers as GitHub's API for releases does by its documentation
// (https://docs.github.com/en/rest/releases), and can misbehave.
package githubtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Repository is the only repository of a [Server] that has no other one, and Token the only token
// that it accepts.
const (
	Repository = "me/product"
	Token      = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
)

// Server is GitHub as an Enterprise server has it: its API is at URL/api/v3, uploads go to
// URL/api/uploads.
type Server struct {
	*httptest.Server

	// Repository is the only repository.
	Repository string
	// Page is the greatest number of elements on a page.
	Page int
	// WithoutDigests omits the digests of assets, as older servers do.
	WithoutDigests bool
	// Immutable refuses changes of the assets of published releases.
	Immutable bool
	// Refs maps tags to TYPE SHA of what they name; Objects the SHA of tag objects likewise.
	// Commits lists the commits without a tag.
	Refs, Objects map[string]string
	Commits       []string
	// Uploads is the host that releases name for uploads; "" is the server itself.
	Uploads string

	mu       sync.Mutex
	calls    []string
	next     int64
	Releases []*Release
	disturb  func(w http.ResponseWriter, q *http.Request, inner http.Handler) bool
}

// Release is a release of a [Server].
type Release struct {
	ID         int64    `json:"id"`
	Tag        string   `json:"tag_name"`
	Commit     string   `json:"target_commitish"`
	Name       string   `json:"name"`
	Body       string   `json:"body"`
	Draft      bool     `json:"draft"`
	Prerelease bool     `json:"prerelease"`
	UploadURL  string   `json:"upload_url"`
	HTMLURL    string   `json:"html_url"`
	Assets     []*Asset `json:"assets"`
	// Latest is what the last request has set by make_latest. At has the names of the assets when
	// the release was published.
	Latest string   `json:"-"`
	At     []string `json:"-"`
}

// Asset is a file of a [Release].
type Asset struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Label  string `json:"label"`
	State  string `json:"state"`
	Size   int64  `json:"size"`
	Type   string `json:"content_type"`
	Digest string `json:"digest,omitempty"`
	Bytes  []byte `json:"-"`
}

// Serve starts a server, which ends with the test.
func Serve(tb testing.TB) *Server {
	tb.Helper()
	s := New()
	tb.Cleanup(s.Close)
	return s
}

// New starts a server with a commit for the tag v1.0.0.
func New() *Server {
	s := &Server{
		Repository: Repository, Page: 100,
		Refs: map[string]string{"v1.0.0": "commit " + strings.Repeat("1", 40)}, Objects: map[string]string{},
	}
	s.Server = httptest.NewServer(s)
	return s
}

// API is the address of the API.
func (s *Server) API() string { return s.URL + "/api/v3" }

// Disturb shows f each request before it is answered; f returns true if it has answered.
func (s *Server) Disturb(f func(w http.ResponseWriter, q *http.Request, inner http.Handler) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = f
}

// Calls returns the requests so far, as METHOD path, and forgets them.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	s.calls = append(s.calls, q.Method+" "+q.URL.Path)
	disturb := s.disturb
	s.mu.Unlock()
	inner := http.HandlerFunc(s.answer)
	if disturb != nil && disturb(w, q, inner) {
		return
	}
	s.answer(w, q)
}

// Cut drops the connection of a request.
func Cut(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		c.Close()
	}
}

func (s *Server) answer(w http.ResponseWriter, q *http.Request) {
	if q.Header.Get("Authorization") != "Bearer "+Token {
		refuse(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	body, err := io.ReadAll(q.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if path, ok := strings.CutPrefix(q.URL.Path, "/api/uploads/repos/"+s.Repository+"/releases/"); ok {
		s.upload(w, q, strings.TrimSuffix(path, "/assets"), body, err)
		return
	}
	path, ok := strings.CutPrefix(q.URL.Path, "/api/v3/repos/"+s.Repository)
	if !ok || err != nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if path == "" {
		write(w, http.StatusOK, map[string]string{"full_name": s.Repository})
		return
	}
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 3)
	switch {
	case parts[0] == "git" && len(parts) == 3:
		s.git(w, parts[1], parts[2])
	case parts[0] == "releases":
		s.releases(w, q, strings.Join(parts[1:], "/"), body)
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

// git answers requests for references and objects.
func (s *Server) git(w http.ResponseWriter, kind, name string) {
	found, ok := "", false
	switch kind {
	case "ref":
		found, ok = s.Refs[strings.TrimPrefix(name, "tags/")]
	case "tags":
		found, ok = s.Objects[name]
	case "commits":
		ok = slices.Contains(s.Commits, name)
		found = "commit " + name
	}
	if !ok {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	kind, sha, _ := strings.Cut(found, " ")
	write(w, http.StatusOK, map[string]any{"object": map[string]string{"type": kind, "sha": sha}})
}

// page writes a page of a list, with links to the others.
func page[T any](w http.ResponseWriter, q *http.Request, most int, all []T) {
	per, _ := strconv.Atoi(q.URL.Query().Get("per_page"))
	if per == 0 {
		per = 30
	}
	per = min(per, most)
	n, _ := strconv.Atoi(q.URL.Query().Get("page"))
	n = max(n, 1)
	from, to := min(len(all), (n-1)*per), min(len(all), n*per)
	if to < len(all) {
		u := *q.URL
		query := u.Query()
		query.Set("page", strconv.Itoa(n+1))
		u.RawQuery, u.Host, u.Scheme = query.Encode(), q.Host, "http"
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next", <%s>; rel="last"`, u.String(), u.String()))
	}
	write(w, http.StatusOK, append([]T{}, all[from:to]...))
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck,errchkjson // a test's answer
}

// refuse answers with an error, as the API does.
func refuse(w http.ResponseWriter, status int, message string, errs ...map[string]string) {
	write(w,
		status, map[string]any{"message": message, "errors": errs, "documentation_url": "https://docs.github.com/rest"})
}

// digest is how the API writes the digest of an asset.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
