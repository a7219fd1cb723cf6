package registry

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestKnows(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ addr, at, yes, no string }{
		{
			"127.0.0.1:5000", "127.0.0.1",
			"127.0.0.1:5000 127.0.0.1 localhost:5000 LOCALHOST 127.1.2.3:1 [::1]:5000 [::1] a.localhost:5000",
			"evil.example evil.example:5000 localhost.evil.example 127.0.0.1.evil.example " +
				"192.168.1.5:5000 0.0.0.0:5000 " + own + ".example",
		},
		{"[::1]:0", "::1", "[::1]:7 localhost:7 127.0.0.1", "evil.example [::2]:7"},
		{
			"registry.lan:5000", "192.168.1.5", "registry.lan:5000 Registry.LAN 192.168.1.5:5000",
			"evil.example 192.168.1.6:5000 localhost:5000",
		},
		{
			":5000", "::", "127.0.0.1:5000 localhost 192.168.1.5:5000 [fe80::1]:5000 " + own,
			"evil.example evil.example:5000 " + own + ".evil.example",
		},
		{"0.0.0.0:5000", "0.0.0.0", "127.0.0.1:5000 localhost 192.168.1.5:5000", "evil.example"},
	} {
		g := newGuard(nil, test.addr, &net.TCPAddr{IP: net.ParseIP(test.at), Port: 5000})
		for _, h := range strings.Fields(test.yes) {
			if !g.knows(h) {
				t.Errorf("at %s, %s is refused", test.addr, h)
			}
		}
		for _, h := range append(strings.Fields(test.no), "") {
			if g.knows(h) {
				t.Errorf("at %s, %q is answered", test.addr, h)
			}
		}
	}
}

// TestServeRefusesOtherHosts asks a server as a browser would that was led to it by the name of a
// page.
func TestServeRefusesOtherHosts(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	at, ended := make(chan net.Addr), make(chan error)
	// the test sees it
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }) //nolint:errcheck // the client of this test
	go func() { ended <- Serve(ctx, "127.0.0.1:0", hello, func(a net.Addr) { at <- a }) }()
	addr := (<-at).String()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		addr: 200, "localhost:" + port: 200, "evil.example:" + port: 403,
		"evil.example": 403,
	} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/v2/", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host = host
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != want || (want == 403) != strings.Contains(string(body), `"DENIED"`) ||
			want == 403 && strings.Contains(string(body), "secret") {
			t.Errorf("%s: %s, %s, %v", host, a.Status, body, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
