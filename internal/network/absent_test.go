package network_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestAbsent: a status 404 with a registry's errors means that something is not there, unless they
// say that it was not looked for, or it is of the store of blobs to which the registry has
// redirected.
func TestAbsent(t *testing.T) {
	for body, want := range map[string]outcome.Outcome{
		"":                               outcome.Unread, // a registry gives its errors in JSON
		`{"message":"no Route matched"}`: outcome.Unread, // of a proxy
		`{"errors":[]}`:                  outcome.Unread,
		`{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`: outcome.Absent,
		`{"errors":[{"code":"NOT_FOUND"}]}`:        outcome.Absent, // of Harbor
		`{"errors":[{"code":"TOOMANYREQUESTS"}]}`:  outcome.Unread,
		`{"errors":[{"code":"DENIED"}]}`:           outcome.Unread,
		`{"errors":[{"code":"UNAUTHORIZED"}]}`:     outcome.Unread,
		"307 /v2/elsewhere/app/manifests/1":        outcome.Absent, // as registry.k8s.io does
		"307 /store/sha256/7c":                     outcome.Unread,
		"<html>":                                   outcome.Unread, // of a proxy
	} {
		t.Run(body, func(t *testing.T) {
			s := registrytest.Serve(t)
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				body := body
				to, redirects := strings.CutPrefix(body, "307 ")
				switch {
				case q.URL.Path == "/v2/":
					return false
				case redirects && q.URL.Path != to:
					http.Redirect(w, q, to, http.StatusTemporaryRedirect)
				default:
					w.Header().Set("Content-Type", "application/json")
					if strings.HasPrefix(body, "<") {
						w.Header().Set("Content-Type", "text/html")
					}
					w.WriteHeader(http.StatusNotFound)
					if redirects {
						body = `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`
					}
					w.Write([]byte(body)) //nolint:errcheck // the client of this very test
				}
				return true
			})
			_, err := network.New(options()).Get(t.Context(), s.Repo(t, "team/app").Tag("1"))
			if got := outcome.Of(err); got != want || outcome.Failed(err) != (want == outcome.Unread) {
				t.Errorf("it is %d: %v", got, err)
			}
		})
	}
}

// TestAltered: bytes that do not have the digest of what was asked for say nothing about it, nor
// does an error with the status of success; a size that a document does not have is a fault of what
// lists it.
func TestAltered(t *testing.T) {
	s := registrytest.Serve(t)
	repo := s.Repo(t, "team/app")
	img, err := random.Image(10, 1)
	if err := errors.Join(err, remote.Write(repo.Tag("1"), img)); err != nil {
		t.Fatal(err)
	}
	h, err := img.Digest()
	m, err2 := img.Manifest()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	c := network.New(options())
	smaller, larger := m.Config, m.Config
	larger.Size++
	smaller.Size--
	for name, tc := range map[string]struct {
		answer string // in place of a registry's
		status int
		read   func(ctx context.Context) error
		want   outcome.Outcome
	}{
		"a manifest": {"{}", 200, func(ctx context.Context) error {
			_, err := c.Manifests(ctx, repo)(v1.Descriptor{Digest: h})
			return err
		}, outcome.Unread},
		"an error by a tag": {`{"errors":[{"code":"UNKNOWN"}]}`, 200, func(ctx context.Context) error {
			_, err := c.Get(ctx, repo.Tag("1"))
			return err
		}, outcome.Unread},
		"nothing by a tag": {"", 200, func(ctx context.Context) error {
			_, err := c.Get(ctx, repo.Tag("1"))
			return err
		}, outcome.Unread},
		"no manifest by a tag": {"{}", 200, func(ctx context.Context) error {
			_, err := c.Get(ctx, repo.Tag("1"))
			return err
		}, outcome.Unread},
		"a shorter configuration": {"", 200, func(ctx context.Context) error {
			_, err := c.Configs(ctx, repo)(m.Config)
			return err
		}, outcome.Unread},
		"a size too large": {"", 0, func(ctx context.Context) error {
			_, err := c.Configs(ctx, repo)(larger)
			return err
		}, outcome.Broken},
		"referrers of nothing": {"{}", 200, func(ctx context.Context) error {
			_, err := c.Referrers(ctx, repo.Digest(h.String()), true)
			return err
		}, outcome.Unread},
		"a status of its own": {"", 451, func(ctx context.Context) error {
			_, err := c.Get(ctx, repo.Tag("1"))
			return err
		}, outcome.Unread},
		"a longer configuration": {strings.Repeat("x", 10000), 200, func(ctx context.Context) error {
			_, err := c.Configs(ctx, repo)(m.Config)
			return err
		}, outcome.Unread},
		"another configuration": {strings.Repeat("x", int(m.Config.Size)), 200, func(ctx context.Context) error {
			_, err := c.Configs(ctx, repo)(m.Config)
			return err
		}, outcome.Unread},
		"a size too small": {"", 0, func(ctx context.Context) error {
			_, err := c.Configs(ctx, repo)(smaller)
			return err
		}, outcome.Broken},
		"the repository, suddenly": {`{"errors":[{"code":"NAME_UNKNOWN"}]}`, 404, func(ctx context.Context) error {
			_, err := network.Listed(c.Manifests(ctx, repo))(v1.Descriptor{Digest: h})
			return err
		}, outcome.Unread},
	} {
		t.Run(name, func(t *testing.T) {
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if tc.status == 0 || q.URL.Path == "/v2/" {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.status)
				w.Write([]byte(tc.answer)) //nolint:errcheck // the client of this very test
				return true
			})
			defer s.Disturb(nil)
			err := tc.read(t.Context())
			if got := outcome.Of(err); got != tc.want || outcome.Failed(err) != (tc.want == outcome.Unread) {
				t.Errorf("it is %d: %v", got, err)
			}
		})
	}
}

// TestNoManifest: with the status of success, a document that is not a manifest is not what a tag
// names, whether it is asked for by HEAD or GET. The error has the document as it is.
func TestNoManifest(t *testing.T) {
	for body, want := range map[string]string{
		`{"message": "log in"}`: `is not a manifest: {"message": "log in"}`,
		"please\n\"log in\"":    `is not a manifest: please\n"log in"`,
		"":                      "is not a manifest: it is empty",
	} {
		s := registrytest.Serve(t)
		s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
			if q.URL.Path == "/v2/" {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(body)) //nolint:errcheck // the client of this very test
			return true
		})
		c, ref := network.New(options()), s.Repo(t, "team/app").Tag("1")
		_, head := c.Head(t.Context(), ref)
		_, get := c.Get(t.Context(), ref)
		for _, err := range []error{head, get} {
			if err == nil || !strings.HasSuffix(err.Error(), want) || !outcome.Failed(err) {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}
