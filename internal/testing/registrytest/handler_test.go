package registrytest_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestHalfManifest sends a part of a manifest and hangs up: the registry has no tag of it.
func TestHalfManifest(t *testing.T) {
	s := registrytest.Serve(t)
	c, err := net.Dial("tcp", s.Host())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "PUT /v2/demo/agent/manifests/latest HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\n{", s.Host())
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	put, err := http.ReadResponse(bufio.NewReader(c), nil) // the registry is done with it
	if err != nil {
		t.Fatal(err)
	}
	put.Body.Close()
	c.Close()
	got, err := http.Get(s.URL + "/v2/demo/agent/manifests/latest")
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	if put.StatusCode != http.StatusBadRequest || got.StatusCode != http.StatusNotFound {
		t.Errorf("the registry says %s to half a manifest, then %s", put.Status, got.Status)
	}
}
