package network_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// account is a keychain with one account for every registry.
type account struct{ user, password string }

func (a account) Resolve(authn.Resource) (authn.Authenticator, error) {
	return authn.FromConfig(authn.AuthConfig{Username: a.user, Password: a.password}), nil
}

func registryAt(t *testing.T, host string) name.Repository {
	t.Helper()
	r, err := name.NewRepository(host + "/team/app")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHelper gets passwords from credential helpers: from those that answer, and not from those
// that hang, whose children end, too.
func TestHelper(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DOCKER_CONFIG", dir)
	for helper, script := range map[string]string{
		"good": `read server; echo '{"ServerURL":"","Username":"ann","Secret":"correct horse"}'`,
		"none": `echo "credentials not found in native keychain"; exit 1`,
		"bad":  `echo "the vault is closed"; exit 1`,
		// The child keeps the output open, and would do so for ever.
		"hangs": `sh -c 'trap "" INT; sleep 1000000' & wait`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "docker-credential-"+helper), []byte("#!/bin/sh\n"+script+"\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "config.json")
	for _, tt := range []struct{ config, user, want, source string }{
		{`{"credsStore":"good"}`, "ann", "", "credential helper docker-credential-good"},
		{`{"credHelpers":{"HOST":"good"}}`, "ann", "", "credential helper docker-credential-good"},
		{`{"credHelpers":{"elsewhere.example":"bad"}}`, "", "", "anonymous"},
		{`{"auths":{"HOST":{"auth":"Ym9iOnh5enp5"}}}`, "bob", "", file},
		// Accounts of namespaces, as podman login writes them.
		{
			`{"auths":{"HOST/team":{"auth":"Ym9iOnh5enp5"},"HOST/other":{"auth":"ZXZlOng="},"HOST":{"auth":"ZXZlOng="}}}`,
			"bob", "", file,
		},
		{`{"auths":{"HOST/team":{"auth":"ZXZlOng="},"HOST/team/app":{"auth":"Ym9iOnh5enp5"}}}`, "bob", "", file},
		{`{"auths":{"HOST/other":{"auth":"ZXZlOng="},"HOST/team/ap":{"auth":"ZXZlOng="}}}`, "", "", "anonymous"},
		{`{"auths":{"HOST/other":{"auth":"ZXZlOng="},"https://HOST/v2/":{"auth":"Ym9iOnh5enp5"}}}`, "bob", "", file},
		{
			`{"credHelpers":{"HOST/team":"good"},"credsStore":"none"}`, "ann",
			"", "credential helper docker-credential-good",
		},
		{`{"credsStore":"none"}`, "", "", "anonymous"},
		{`{"credsStore":"bad"}`, "", "docker-credential-bad: exit status 1: run docker-credential-bad get by hand", ""},
		{`{"credsStore":"hangs"}`, "", "docker-credential-hangs has not answered for", ""},
		{`{"credsStore":"gone"}`, "", "docker-credential-gone", ""},
	} {
		t.Run(tt.config, func(t *testing.T) {
			s := registrytest.Serve(t)
			user := ""
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if user, _, _ = q.BasicAuth(); user == "" && tt.user != "" {
					w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
					w.WriteHeader(http.StatusUnauthorized)
					return true
				}
				return false
			})
			repo := s.Repo(t, "team/app")
			text := strings.ReplaceAll(tt.config, "HOST", repo.RegistryStr())
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			o := options()
			o.HelperTime = 20 * time.Second
			if strings.Contains(tt.config, "hangs") {
				o.HelperTime = time.Second
			}
			_, err := network.New(o).Head(t.Context(), repo.Tag("1"))
			if (tt.want == "") != (outcome.Of(err) == outcome.Absent) ||
				tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if user != tt.user {
				t.Errorf("the registry was asked as %q, want %q", user, tt.user)
			}
			if tt.source == "" {
				return
			}
			if source, err := network.New(o).CredentialSource(t.Context(), repo); err != nil || source != tt.source {
				t.Errorf("the credentials are from %q, %v, want %q", source, err, tt.source)
			}
		})
	}
}

// TestVariable takes credentials from DOCKER_AUTH_CONFIG, with a file and without one.
func TestVariable(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	const variable, bob = "DOCKER_AUTH_CONFIG", `{"auth":"Ym9iOnh5enp5"}`
	file := filepath.Join(dir, "config.json")
	for _, tt := range []struct{ value, file, source, want string }{
		{value: `{"auths":{"registry.example":` + bob + `}}`, source: variable},
		{value: `{"auths":{"registry.example/team":` + bob + `}}`, source: variable},
		{value: `{"auths":{"elsewhere.example":` + bob + `}}`, source: network.Anonymous},
		{value: `{"auths":{"registry.example/other":` + bob + `}}`, source: network.Anonymous},
		{
			value: `{"auths":{"registry.example":` + bob + `}}`, file: `{"credsStore":"gone"}`,
			source: variable,
		},
		{
			value: `{"auths":{"elsewhere.example":` + bob + `}}`, file: `{"auths":{"registry.example":` + bob + `}}`,
			source: file,
		},
		{value: `{"auths":`, want: "reading DOCKER_AUTH_CONFIG: "},
		{value: `{"auths":{"registry.example":{"auth":"?"}}}`, want: "reading DOCKER_AUTH_CONFIG: "},
		{value: `{"credsStore":"gone"}`, want: "it has no auths"},
		{source: network.Anonymous},
	} {
		t.Run(tt.value+tt.file, func(t *testing.T) {
			t.Setenv(variable, tt.value)
			if err := os.WriteFile(file, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.file == "" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			c := network.New(options())
			source, err := c.CredentialSource(t.Context(), registryAt(t, "registry.example"))
			if source != tt.source || (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the credentials are from %q, %v, want %q, %q", source, err, tt.source, tt.want)
			}
		})
	}
}

// TestHelperStopped ends a helper that hangs with the work.
func TestHelperStopped(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DOCKER_CONFIG", dir)
	started := filepath.Join(dir, "started")
	for file, text := range map[string]string{
		"docker-credential-hangs": "#!/bin/sh\n: >" + started + "\nsleep 1000000\n",
		"config.json":             `{"credsStore":"hangs"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped by the test")
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel(stop)
				return
			}
			<-time.After(time.Millisecond)
		}
	}()
	_, err := network.New(network.Options{}).Head(ctx, registrytest.Serve(t).Repo(t, "team/app").Tag("1"))
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}
