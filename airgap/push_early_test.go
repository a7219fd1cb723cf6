package airgap_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushAnsweredEarly pushes over HTTP/2 to a registry that answers uploads before it has read
// them. The transport then closes the layer in another goroutine, while it reads it. A limit of
// requests passes, a token that has expired ends the push with an error.
func TestPushAnsweredEarly(t *testing.T) {
	st, l := bundletest.Demo(t, 1000)
	for n := range 8 {
		text := []byte(string(rune('a' + n)))
		for len(text) < 4<<20 {
			text = append(text, text...)
		}
		bundletest.Add(t, st, l, "large"+string(text[0]), bundletest.Plain(t, text))
	}
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "large"})[0].Path)
	var h2 http.Protocols
	h2.SetUnencryptedHTTP2(true)
	for _, c := range []struct {
		name   string
		status int
		early  func(n int32) bool // of the uploads
	}{
		{"a limit", http.StatusTooManyRequests, func(n int32) bool { return n <= 32 }},
		{"a token", http.StatusUnauthorized, func(n int32) bool { return n > 3 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := registrytest.New(t)
			r.Server = httptest.NewUnstartedServer(r)
			r.Config.Protocols = &h2
			r.Start()
			t.Cleanup(func() {
				r.CloseClientConnections()
				r.Close()
			})
			var n atomic.Int32
			r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if q.Method != http.MethodPatch {
					return false
				}
				if !c.early(n.Add(1)) {
					// the registry reads one upload at a time, which all of a connection would wait
					// for
					raw, err := io.ReadAll(q.Body)
					q.Body = io.NopCloser(bytes.NewReader(raw))
					return err != nil
				}
				io.CopyN(io.Discard, q.Body, 1<<20) //nolint:errcheck // then the client reads on
				w.WriteHeader(c.status)
				return true
			})
			o := bundletest.To(r)
			transport := &http.Transport{Protocols: &h2}
			t.Cleanup(transport.CloseIdleConnections)
			o.Registry.Transport, o.Registry.Attempts = transport, 1000
			_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
			if c.status == http.StatusUnauthorized {
				bundletest.Says(t, err, "401", r.Host())
			} else if err != nil { // the registry compares every blob with its digest
				t.Error(err)
			}
		})
	}
}
