package network_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestRefused finds no listener at a registry that is restarting, and then finds it; where none
// ever comes, it gives up soon.
func TestRefused(t *testing.T) {
	s := registrytest.Serve(t)
	img, tag := image(t, 100), s.Repo(t, "team/app").Tag("1")
	if err := push(t, network.New(options()), tag, img); err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		refusals, dials int64
		want            error
	}{
		"twice":  {2, 3, nil},
		"always": {1000, 6, syscall.ECONNREFUSED}, // by HTTPS and by HTTP
	} {
		t.Run(name, func(t *testing.T) {
			var dials atomic.Int64
			o := options()
			o.Transport = &http.Transport{
				DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
					if dials.Add(1) <= tt.refusals {
						addr = closed.Addr().String()
					}
					var d net.Dialer
					return d.DialContext(ctx, network, addr)
				},
			}
			_, err := network.New(o).Get(t.Context(), tag)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if n := dials.Load(); n < tt.dials || tt.want != nil && n > tt.dials {
				t.Errorf("%d connections, want %d", n, tt.dials)
			}
		})
	}
}
