package network

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

func TestArchiveLogin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "netrc")
	t.Setenv("NETRC", file)
	for _, tc := range []struct{ text, url, name string }{
		{"machine deb.example login a password b", "https://deb.example/debian/x", "a"},
		{"machine deb.example login a password b", "https://deb.example:8443/debian/x", "a"},
		{"machine deb.example login a password b", "http://deb.example/debian/x", ""},
		{"machine http://deb.example login a password b", "http://deb.example/debian/x", "a"},
		{"machine deb.example:8443 login a password b", "https://deb.example/debian/x", ""},
		{"machine deb.example/debian login a password b", "https://deb.example/debian/x", "a"},
		{"machine deb.example/debian/ login a password b", "https://deb.example/debian/x", "a"},
		{"machine deb.example/debian login a password b", "https://deb.example/debian-security/x", ""},
		{"machine other.example login o password p\n# machine\nmachine deb.example\n login a\n password b\ndefault login z", "https://deb.example/", "a"},
		{"machine deb.example login a password b", "https://deb.example.evil/", ""},
		{"machine deb.example login a password b", "https://evil-deb.example/", ""},
	} {
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		if l, ok, err := archiveLogin(u); err != nil || l.name != tc.name || ok != (tc.name != "") {
			t.Errorf("%q for %s: %v, %v, %v", tc.text, tc.url, l, ok, err)
		}
	}
	for _, text := range []string{"login a", "machine", "machine a login", "machine a user b"} {
		if all, err := parseAuth(text); err == nil {
			t.Errorf("%q is taken: %v", text, all)
		}
	}
}
