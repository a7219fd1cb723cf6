package network_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// closes is a transport whose first request of each kind meets a connection that the server has
// just closed.
type closes struct {
	http.RoundTripper

	met sync.Map
}

func (c *closes) RoundTrip(q *http.Request) (*http.Response, error) {
	if _, again := c.met.LoadOrStore(q.Method, true); !again {
		if q.Body != nil {
			q.Body.Close()
		}
		return nil, errors.New("http: server closed idle connection") // as net/http has it
	}
	return c.RoundTripper.RoundTrip(q)
}

// TestClosedIdle: a server may close a connection that is idle at the moment in which a request
// begins on it. Package net/http does not repeat a request that writes, and its error has no type.
func TestClosedIdle(t *testing.T) {
	t.Parallel()
	s := registrytest.Serve(t)
	o, transport := options(), &closes{RoundTripper: http.DefaultTransport}
	o.Transport = transport
	if err := roundTrip(t, network.New(o), s, 1000); err != nil {
		t.Error(err)
	}
	for _, method := range []string{http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodGet} {
		if _, ok := transport.met.Load(method); !ok {
			t.Errorf("there is no %s", method)
		}
	}
}
