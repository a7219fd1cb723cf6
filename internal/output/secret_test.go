package output

import (
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// forget takes back the secrets of a test.
func forget(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		secrets.Lock()
		defer secrets.Unlock()
		secrets.forms = nil
	})
}

func TestSecret(t *testing.T) {
	forget(t)
	const password = `s3cr/et"päss word`
	Login("me", password)
	Secret("abc", "hunt", "-----BEGIN KEY-----\nAAAAB3NzaC1yc2E\n-----END KEY-----\n", "  \n")
	for in, want := range map[string]string{
		"it is " + password + "!":                                          "it is [redacted]!",
		"?pw=" + url.QueryEscape(password) + "&x":                          "?pw=[redacted]&x",
		"/" + url.PathEscape(password):                                     "/[redacted]",
		`{"p":"s3cr/et\"päss word"}`:                                       `{"p":"[redacted]"}`,
		base64.StdEncoding.EncodeToString([]byte("me:" + password)):        Redacted,
		"x" + base64.RawURLEncoding.EncodeToString([]byte(password)) + "x": "x[redacted]x",
		"key AAAAB3NzaC1yc2E of":                                           "key [redacted] of",
		"abc is too short":                                                 "abc is too short",
		"hunt, hunter and shunt; hunt":                                     "[redacted], hunter and shunt; [redacted]",
		"nothing of me here":                                               "nothing of me here",
	} {
		if got := redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSecretConcurrently(t *testing.T) {
	forget(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			Secret("correct horse", "battery staple")
			if got := redact("a correct horse"); got != "a [redacted]" {
				t.Errorf("%q", got)
			}
		})
	}
	wg.Wait()
}

func TestPatterns(t *testing.T) {
	for in, want := range map[string]string{
		"get https://me:hunter2@host/v2/ now":              "get https://[redacted]@host/v2/ now",
		"https://me:p@ss/w@rd@host:5000/x":                 "https://[redacted]@host:5000/x",
		"machine example.com login me password x1":         "machine example.com login me password [redacted]",
		"https://ghp_token@github.com/a/b":                 "https://[redacted]@github.com/a/b",
		"ssh://git@github.com/a/b":                         "ssh://git@github.com/a/b",
		"https://host:5000/a@sha256:abc":                   "https://host:5000/a@sha256:abc",
		"oci://host/a/b:1@sha256:abc":                      "oci://host/a/b:1@sha256:abc",
		"Authorization: Basic bWU6aHVudGVyMg==":            "Authorization: Basic [redacted]",
		`"Authorization":["Bearer abc"]`:                   `"Authorization":["Bearer [redacted]"]`,
		"proxy-authorization: 0paque-key, next":            "proxy-authorization: [redacted], next",
		"you sent Basic bWU6aHVudGVyMg== to us":            "you sent Basic [redacted] to us",
		"error in authorization: no basic auth: anonymous": "error in authorization: no basic auth: anonymous",
		"Basic authentication, Bearer authorizations":      "Basic authentication, Bearer authorizations",
		`Bearer realm="https://auth.host/token"`:           `Bearer realm="https://auth.host/token"`,
		`{"token":"abc","expires_in":300}`:                 `{"token":"[redacted]","expires_in":300}`,
		`said {\"access_token\": \"abc\"}`:                 `said {\"access_token\": \"[redacted]\"}`,
		"jwt eyJhbGciOiJub25l.eyJzdWIiOiJtZSJ9.c2ln!":      "jwt [redacted]!",
		"https://s3/x?X-Amz-Signature=abcdef&part=1":       "https://s3/x?X-Amz-Signature=[redacted]&part=1",
		"https://az/x?sv=1&sig=a%2Fb%3D and":               "https://az/x?sv=1&sig=[redacted] and",
		"unexpected token: end of file; password: none":    "unexpected token: end of file; password: none",
	} {
		if got := redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
		if got := redact(want); got != want {
			t.Errorf("again: redact(%q) = %q", want, got)
		}
	}
}

func TestAccount(t *testing.T) {
	forget(t)
	for text, has := range map[string]bool{
		"https://me:hunter2@ghcr.io/me":                        true,
		"me:swordfish@ghcr.io/me":                              true,
		"me:pa/ssw@rd@ghcr.io":                                 true,
		"ghcr.io/me":                                           false,
		"localhost:5000/me":                                    false,
		"https://ghcr.io:443/me":                               false,
		"busybox:1@sha256:" + strings.Repeat("a", 64):          false,
		"host:5000/busybox@sha512:" + strings.Repeat("a", 128): false,
	} {
		if got := Account(text); got != has {
			t.Errorf("Account(%q) = %v", text, got)
		}
	}
	if got := redact("hunter2 swordfish pa/ssw@rd"); got != "[redacted] [redacted] [redacted]" {
		t.Errorf("the passwords are not registered: %q", got)
	}
}
