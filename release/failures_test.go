package release_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// everywhere is the name of every registry, so that signatures, which contain it, do not differ.
const everywhere = "localhost:5"

type inContext struct{}

// routed asks the registry of the context.
type routed struct{ http.Transport }

func (r *routed) RoundTrip(q *http.Request) (*http.Response, error) {
	s, ok := q.Context().Value(inContext{}).(*registrytest.Server)
	if !ok || q.URL.Host != everywhere && q.URL.Host != s.Host() {
		return nil, fmt.Errorf("a request for %s without the context of the release", q.URL.Host)
	}
	q = q.Clone(q.Context())
	q.URL.Scheme, q.URL.Host = "http", s.Host()
	return r.Transport.RoundTrip(q)
}

// TestReleaseFailures answers each request of a signed release with each failure: a tag is what it
// was, or names the whole image, a failure of the registry is told from a mistake, and dist/ has
// checksums only of a release that is complete.
func TestReleaseFailures(t *testing.T) {
	usual, transport := network.Usual, network.Default
	t.Cleanup(func() { network.Usual, network.Default = usual, transport })
	network.Default = &routed{}
	network.Usual.Idle, network.Usual.GiveUp, network.Usual.Wait = 150*time.Millisecond, 300*time.Millisecond,
		time.Millisecond
	private, _, err := signature.Generate(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := signature.ParsePrivateKey(private, nil)
	if err != nil {
		t.Fatal(err)
	}
	tool := indextest.Index(t, "linux/amd64", "linux/arm64")
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		made := smallAt(t, s, nil)
		image := strings.Replace(made.push(t, "up/tool:1", tool), s.Host(), everywhere, 1)
		made.write(t, map[string]string{"images.txt": image + "\n"})
		p, err := product.Load(t.Context(), product.Options{
			Path: filepath.Join(made.dir, product.File), Registries: []string{everywhere + "/own"},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.WithValue(t.Context(), inContext{}, s)
		sums := filepath.Join(made.dist(), evidence.SumsName)
		return func() error {
			_, err := release.Release(ctx, p, release.Options{Out: made.dist(), Signer: key})
			if _, missing := os.Stat(sums); (missing == nil) != (err == nil) {
				return fmt.Errorf("after %s the checksums are %s", fmt.Sprint(err), fmt.Sprint(missing))
			}
			return err
		}
	})
}
