package registry_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry"
)

func TestServe(t *testing.T) {
	st := storetest.Open(t)
	l := storetest.Release(t, st, 3000)
	out, err := publish.Publish(t.Context(), storetest.Product(t, l), st, storetest.Built(l), network.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- registry.Serve(ctx, "127.0.0.1:0", registry.Handler(st, out), func(a net.Addr) { at <- a })
	}()
	var host string
	select {
	case a := <-at:
		host = a.String()
	case err := <-ended:
		t.Fatal(err)
	}
	served := *out
	served.Images = nil
	for _, i := range out.Images {
		i.Repository = strings.Replace(i.Repository, "slipway.local", host, 1)
		served.Images = append(served.Images, i)
	}
	registrytest.Validate(t, &served)

	put, err := http.Post("http://"+host+"/v2/demo/agent/blobs/uploads/", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	put.Body.Close()
	if put.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a push is answered by %s", put.Status)
	}

	if err := registry.Serve(t.Context(), host, http.NotFoundHandler(), nil); err == nil ||
		!strings.Contains(err.Error(), "choose another address") {
		t.Errorf("a second one at the same address: %v", err)
	}

	// A request that is under way is answered to its end.
	a, err := http.Get("http://" + host + "/v2/demo/agent/blobs/" + out.Images[0].Children[0].Config.String())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, a.Body); err != nil {
		t.Error(err)
	}
	a.Body.Close()
	if err := <-ended; err != nil {
		t.Errorf("Serve ended with %v", err)
	}
}
