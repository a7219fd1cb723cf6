package network_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestDateOfPrivateAddress asks a registry at a private address, which has TLS.
func TestDateOfPrivateAddress(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	o := options()
	o.Transport = &http.Transport{DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", s.Listener.Addr().String())
	}}
	for _, host := range []string{"10.1.2.3:5000", "172.16.0.1", "192.168.1.1:443", "registry.example"} {
		r, err := name.NewRegistry(host)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := network.New(o).Date(t.Context(), r); err != nil || got.IsZero() {
			t.Errorf("%s: %v, %v", host, got, err)
		}
	}
}

func TestDate(t *testing.T) {
	s := registrytest.Serve(t)
	want := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Time{want.Format(http.TimeFormat): want, "yesterday": {}, "": {}} {
		s.Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header()["Date"] = nil
			if header != "" {
				w.Header().Set("Date", header)
			}
			w.WriteHeader(http.StatusUnauthorized)
			return true
		})
		got, err := network.New(options()).Date(t.Context(), s.Repo(t, "any").Registry)
		if err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v", header, got, err)
		}
	}
	s.Close()
	if _, err := network.New(options()).Date(t.Context(), s.Repo(t, "any").Registry); err == nil {
		t.Error("a registry that is gone has a time")
	}
}

func TestProxies(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	if list, malformed := network.Proxies(); len(list)+len(malformed) > 0 {
		t.Errorf("without any: %q, %v", list, malformed)
	}
	t.Setenv("HTTPS_PROXY", "http://me:hunter2@proxy:3128")
	t.Setenv("http_proxy", "me:hunter2@proxy:3128")
	t.Setenv("HTTP_PROXY", "http://")
	t.Setenv("https_proxy", "http://%zz:hunter2@proxy")
	t.Setenv("NO_PROXY", "localhost,.internal")
	list, malformed := network.Proxies()
	if !slices.Equal(list,
		[]string{"HTTPS_PROXY=http://proxy:3128", "http_proxy=http://proxy:3128", "NO_PROXY=localhost,.internal"}) {
		t.Errorf("the proxies are %q", list)
	}
	var texts []string
	for _, err := range malformed {
		texts = append(texts, err.Error())
	}
	if !slices.Equal(texts, []string{
		"https_proxy is not the address of a proxy: write http://host:port, or unset it",
		"HTTP_PROXY is not the address of a proxy: write http://host:port, or unset it",
	}) {
		t.Errorf("the errors are %q", texts)
	}
}

func TestWithoutAccounts(t *testing.T) {
	for list, want := range map[string]string{
		"https://proxy.golang.org,direct":                          "https://proxy.golang.org,direct",
		"https://me:p@ss@a.example/go|http://you@b.example,direct": "https://a.example/go|http://b.example,direct",
		"https://a.example/x@y,me:word@b.example:80":               "https://a.example/x@y,b.example:80",
		"off": "off",
	} {
		if got := network.WithoutAccounts(list); got != want {
			t.Errorf("%s became %s, want %s", list, got, want)
		}
	}
}
