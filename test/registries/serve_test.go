package registries

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry"
)

// TestServe cuts a snapshot and lets skopeo take it from the embedded registry, all of it and a
// single platform.
func TestServe(t *testing.T) {
	testprog.Need(t, "skopeo")
	p, st, l := cut(t)
	l, err := publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{})
	if err != nil {
		t.Fatal(err)
	}
	host, other := serve(t, registry.Handler(st, l)), serve(t, registry.New(st, nil))
	for _, i := range l.Images {
		reference := strings.Replace(i.Tagged(), "slipway.local", host, 1)
		skopeo(t, reference, i)
		if tags := testprog.Run(t, "skopeo", "list-tags", "--tls-verify=false",
			"docker://"+strings.TrimSuffix(reference, ":"+i.Tags[0])); !strings.Contains(tags, `"`+i.Tags[0]+`"`) {
			t.Errorf("%s: %s", reference, tags)
		}
		testprog.Run(t, "skopeo", "--insecure-policy", "--override-os", "linux", "--override-arch",
			"amd64", "copy", "--quiet", "--src-tls-verify=false", "docker://"+reference, "dir:"+t.TempDir())
		// And the other way round: a push into it, where it takes one.
		testprog.Run(t, "skopeo", "--insecure-policy", "copy", "--quiet", "--all", "--src-tls-verify=false",
			"--dest-tls-verify=false", "docker://"+reference, "docker://"+other+"/copy/"+i.Name+":1")
		skopeo(t, other+"/copy/"+i.Name+":1", i)
	}
}

// serve serves a registry until the test ends, and returns its address.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- registry.Serve(ctx, "127.0.0.1:0", h, func(a net.Addr) { at <- a.String() })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case host := <-at:
		return host
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
		return ""
	}
}
