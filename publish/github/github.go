// Package github publishes the files of a release where its sources are: at GitHub.
//
// [Read] lists the files of a finished release, those that SHA256SUMS lists, and compares them
// with it. [GitHub.Publish] makes a draft, sends what it lacks, compares everything by digest and
// publishes last, so that a release that cannot be changed afterwards misses nothing. Whatever
// stops it, the next run goes on where it was.
//
// A comment in the notes names the files that a draft is for, so that two runs with different
// files do not mix them.
package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
)

// GitHub is a repository at GitHub, or at a GitHub Enterprise server, by its REST API
// (https://docs.github.com/en/rest/releases?apiVersion=2022-11-28).
type GitHub struct {
	client *network.Client
	api    *url.URL
	repo   string // OWNER/NAME
	token  string
}

// PublicAPI is the API of github.com.
const PublicAPI = "https://api.github.com"

var repository = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

// NewGitHub returns a repository OWNER/NAME, whose API is at an address. The token is registered
// as a secret.
func NewGitHub(o network.Options, api, repo, token string) (*GitHub, error) {
	u, err := url.Parse(strings.TrimSuffix(api, "/"))
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%.200q is not the address of GitHub's API: "+
			"set GITHUB_API_URL to one such as %s, or https://HOST/api/v3 of an Enterprise server", api, PublicAPI)
	case repo == "":
		return nil, howto.Usage("the repository is unknown: " +
			"name it with -github-repository=OWNER/NAME, or set GITHUB_REPOSITORY")
	case !repository.MatchString(repo) || strings.HasSuffix(repo, "/.") || strings.HasSuffix(repo, "/.."):
		return nil, howto.Usage("%.200q is not a repository at GitHub: "+
			"write OWNER/NAME in -github-repository or GITHUB_REPOSITORY", repo)
	case token == "":
		return nil, errors.New("GITHUB_TOKEN is not set: set it to a token that may write the " +
			"contents of the repository; in a workflow, to ${{ github.token }}, with the permission contents: write")
	}
	output.Secret(token)
	return &GitHub{client: network.New(o), api: u, repo: repo, token: token}, nil
}

// apiError is an answer that refuses a request.
type apiError struct {
	status int
	what   string // METHOD path
	text   string // what GitHub says
	codes  []string
	remedy string
}

func (e *apiError) Error() string {
	s := fmt.Sprintf("%s: GitHub answers %d %s", e.what, e.status, http.StatusText(e.status))
	if e.text != "" {
		s += ": " + e.text
	}
	return s + e.remedy
}

// Status returns the status of HTTP, by which package outcome tells a server that denies or fails
// from one that refuses the content.
func (e *apiError) Status() int { return e.status }

// outage is the error of an answer that leaves unknown whether GitHub has something.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// Outage marks an error as one of a server ([outcome.Failed]).
func (outage) Outage() {}

// is reports whether err is an answer with a status.
func is(err error, status int) bool {
	var e *apiError
	return errors.As(err, &e) && e.status == status
}

// refusal makes an error of an answer.
func (g *GitHub) refusal(method, path string, a *network.Answer) error {
	var body struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	e := &apiError{status: a.Status, what: method + " " + path}
	if json.Unmarshal(a.Body, &body) == nil {
		e.text = body.Message
	}
	for _, raw := range body.Errors {
		var one struct{ Resource, Field, Code, Message string }
		if json.Unmarshal(raw, &one) != nil {
			one.Message = string(raw)
		}
		e.codes = append(e.codes, one.Code)
		e.text += "; " +
			strings.Join(strings.Fields(strings.Join([]string{one.Resource, one.Field, one.Code, one.Message}, " ")),
				" ")
	}
	e.text = output.Excerpt(strings.TrimPrefix(e.text, "; "), 400)
	switch {
	case a.Status == http.StatusUnauthorized:
		e.remedy = ": GITHUB_TOKEN is wrong or has expired: take a new one"
	case a.Status == http.StatusForbidden:
		e.remedy = ": GITHUB_TOKEN needs the right to write the contents of " +
			g.repo + "; in a workflow, the permission contents: write"
	case a.Status >= 300 && a.Status < 400:
		e.remedy = ": the repository has moved: correct -github-repository or GITHUB_REPOSITORY"
	}
	return e
}

// call makes a request to the API, below the repository, and decodes the answer into v, unless
// that is nil.
func (g *GitHub) call(ctx context.Context, method, path string, send, v any) (http.Header, error) {
	r := network.Request{Method: method, Once: method == http.MethodPost}
	r.URL = path
	if !strings.Contains(path, "://") { // not the next page of a list
		r.URL = g.api.String() + "/repos/" + g.repo + path
	}
	if send != nil {
		text, err := json.Marshal(send)
		if err != nil {
			return nil, err
		}
		r.Body, r.Size = network.Bytes(text)
	}
	return g.do(ctx, r, v)
}

// delete deletes a resource, which may be gone already.
func (g *GitHub) delete(ctx context.Context, path string) error {
	_, err := g.call(ctx, http.MethodDelete, path, nil, nil)
	if is(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// do makes a request.
func (g *GitHub) do(ctx context.Context, r network.Request, v any) (http.Header, error) {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/vnd.github+json")
	}
	r.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	r.Token = g.token
	a, err := g.client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	path := r.URL
	if u, err := url.Parse(r.URL); err == nil {
		path = u.Path
	}
	if a.Status < 200 || a.Status >= 300 {
		err := g.refusal(r.Method, path, a)
		if r.Once && a.Status >= 500 {
			return nil, network.Lost{Err: err}
		}
		return nil, err
	}
	if v == nil {
		return a.Header, nil
	}
	if err := json.Unmarshal(a.Body, v); err != nil {
		return nil, outage{fmt.Errorf("%s %s: the answer is not that of GitHub's API: %w: check GITHUB_API_URL",
			r.Method, path, err)}
	}
	return a.Header, nil
}

// maxPages bounds lists: GitHub lists at most 10000 releases, a hundred on a page.
const maxPages = 200

// list reads all pages of a list.
func list[T any](ctx context.Context, g *GitHub, path string) ([]T, error) {
	var all []T
	at := g.api.String() + "/repos/" + g.repo + path + "?per_page=100"
	for n := 0; at != ""; n++ {
		if n == maxPages {
			return nil, fmt.Errorf("%s of %s has more than %d pages, as no repository at GitHub has",
				path, g.repo, maxPages)
		}
		var page []T
		header, err := g.call(ctx, http.MethodGet, at, nil, &page)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if at, err = network.Next(at, header.Get("Link")); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// escape escapes a tag or a name in a path.
func escape(name string) string {
	parts := strings.Split(name, "/")
	for n := range parts {
		parts[n] = url.PathEscape(parts[n])
	}
	return strings.Join(parts, "/")
}
