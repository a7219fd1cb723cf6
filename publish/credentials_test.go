package publish_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/publish"
)

// TestCredentials pushes over TLS to a registry with passwords, by basic authentication and by
// tokens.
func TestCredentials(t *testing.T) {
	const password = "correct horse"
	for name, guard := range map[string]func(s *registrytest.Server, q *http.Request) (ok bool, challenge string){
		"basic": func(_ *registrytest.Server, q *http.Request) (bool, string) {
			user, pass, _ := q.BasicAuth()
			return user == "ann" && pass == password, `Basic realm="test"`
		},
		"token": func(s *registrytest.Server, q *http.Request) (bool, string) {
			return q.Header.Get("Authorization") == "Bearer "+
				token, fmt.Sprintf(`Bearer realm="%s/token",service="test"`, s.URL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.New(t)
			var mu sync.Mutex
			var scopes []string
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if q.URL.Path == "/token" {
					if _, pass, _ := q.BasicAuth(); pass != password {
						w.WriteHeader(http.StatusUnauthorized)
						return true
					}
					mu.Lock()
					scopes = append(scopes, q.URL.Query()["scope"]...)
					mu.Unlock()
					fmt.Fprintf(w, `{"token":%q}`, token)
					return true
				}
				if ok, challenge := guard(s, q); !ok {
					w.Header().Set("WWW-Authenticate", challenge)
					w.WriteHeader(http.StatusUnauthorized)
					return true
				}
				return false
			})
			s.Server = httptest.NewTLSServer(s)
			defer s.Close()
			host := strings.TrimPrefix(s.URL, "https://")
			p, st, l := cut(t, 1000)
			p.Registry = host
			var log strings.Builder
			o := quick
			o.Transport, o.Progress = s.Client().Transport, progress.New(&log)

			login(t, host, "ann", "wrong")
			_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
			if err == nil || !strings.Contains(err.Error(), "docker login") {
				t.Errorf("with a wrong password: %v", err)
			}
			leaks(t, fmt.Sprint(err), "wrong")

			login(t, host, "ann", password)
			out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
			if err != nil {
				t.Fatal(err)
			}
			leaks(t, log.String(), password)
			mu.Lock()
			asked := strings.Join(scopes, " ")
			mu.Unlock()
			if name == "token" && !strings.Contains(asked, "repository:demo/agent:push,pull") {
				t.Errorf("the scopes were %s", asked)
			}
			ref, err := parse(out.Images[0].Tagged())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := remote.Head(ref, remote.WithTransport(s.Client().Transport)); err == nil {
				t.Error("the registry lets everybody in")
			}
		})
	}
}

const token = "a-token-for-the-test"

func parse(s string) (name.Reference, error) { return name.ParseReference(s) }

// leaks looks for a secret, as it is and as basic authentication writes it.
func leaks(t *testing.T, text, secret string) {
	t.Helper()
	for _, s := range []string{
		secret + "@", ":" + secret, base64.StdEncoding.EncodeToString([]byte("ann:" + secret)),
		token,
	} {
		if strings.Contains(text, s) {
			t.Errorf("%s contains a credential", text)
		}
	}
}

// login writes a Docker configuration for this test.
func login(t *testing.T, host, user, password string) {
	t.Helper()
	dir := t.TempDir()
	auth := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	config := fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, auth)
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_CONFIG", dir)
}

// TestErrorsHideSignatures makes an upload's location carry a signature, as cloud storage does,
// and breaks the connection there.
func TestErrorsHideSignatures(t *testing.T) {
	p, st, l := cut(t, 1000)
	s := registrytest.Serve(t)
	p.Registry = s.Host()
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.Method {
		case http.MethodPost:
			w.Header().Set("Location", "/v2/demo/agent/blobs/uploads/1?signature=hush")
			w.WriteHeader(http.StatusAccepted)
			return true
		case http.MethodPatch:
			io.Copy(io.Discard, q.Body) //nolint:errcheck // a test's own connection
			panic(http.ErrAbortHandler)
		}
		return false
	})
	o := quick
	o.Attempts = 2
	_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v", err)
	}
}
