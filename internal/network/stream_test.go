package network_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestStream reads a blob whose connection breaks off now and then, from registries that answer
// with the rest of it or begin anew, and blobs that are not what they should be.
func TestStream(t *testing.T) {
	const size = 300_000
	for name, tt := range map[string]struct {
		ranges bool
		breaks int32 // how many connections break off
		empty  bool  // before the first byte
		change func([]byte) []byte
		// declares leaves the length in the header of a body that was changed.
		declares bool
		want     string // of the error
		opened   int32  // how many connections there are, if not 0
	}{
		"complete":              {ranges: true},
		"breaks off, ranges":    {ranges: true, breaks: 3},
		"breaks off, no ranges": {breaks: 3},
		"always breaks off":     {ranges: true, breaks: 1000, empty: true, want: "HOST sent 0 of SIZE bytes: unexpected EOF: run again once it answers"},
		"damaged": {
			ranges: true, change: func(b []byte) []byte { b[1000] ^= 1; return b },
			want: "its bytes have the digest sha256:",
		},
		"damaged before the break": {
			ranges: true, breaks: 1, change: func(b []byte) []byte { b[1000] ^= 1; return b },
			want: "its bytes have the digest sha256:",
		},
		"longer than its manifest": {change: func(b []byte) []byte { return append(b, 'x') }, want: "more than the"},
		"shorter than its manifest": {
			change: func(b []byte) []byte { return b[:size/2] },
			want:   "HOST has 150000 of SIZE bytes: a proxy may have answered", opened: 2,
		},
		"shorter than its manifest, ranges": {
			ranges: true, change: func(b []byte) []byte { return b[:size/2] },
			want: "HOST has 150000 of SIZE bytes: a proxy may have answered", opened: 2,
		},
		"shorter than its header": {
			declares: true, change: func(b []byte) []byte { return b[:size/2] },
			want: "HOST sent 150000 of SIZE bytes: unexpected EOF: run again once it answers",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.Serve(t)
			img, repo := image(t, size), s.Repo(t, "team/app")
			if err := push(t, network.New(options()), repo.Tag("1"), img); err != nil {
				t.Fatal(err)
			}
			layers, err := img.Layers()
			if err != nil {
				t.Fatal(err)
			}
			d, err := partial.Descriptor(layers[0])
			if err != nil {
				t.Fatal(err)
			}
			var broken atomic.Int32
			var sent atomic.Int64
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				if q.Method != http.MethodGet || !strings.Contains(q.URL.Path, "/blobs/") {
					return false
				}
				if !tt.ranges {
					q.Header.Del("Range")
				}
				if tt.opened > 0 && q.Header.Get("Range") != "" {
					broken.Add(1)
					w.Header().Set("Content-Range", "bytes */150000")
					w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
					return true
				}
				full := httptest.NewRecorder()
				s.Inner.ServeHTTP(full, q)
				body := full.Body.Bytes()
				if tt.change != nil && full.Code == http.StatusOK {
					if body = tt.change(body); !tt.declares {
						full.Header().Del("Content-Length")
					}
				}
				for k, v := range full.Header() {
					w.Header()[k] = v
				}
				w.WriteHeader(full.Code)
				off := broken.Add(1) <= tt.breaks
				if off {
					body = body[:len(body)/2]
				}
				if off && tt.empty {
					body = nil
				}
				n, _ := w.Write(body) // the client of this test may have gone
				sent.Add(int64(n))
				if off {
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				}
				return true
			})
			o := options()
			o.Attempts = 4
			r, err := network.New(o).Stream(t.Context(), repo, *d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			tt.want = strings.NewReplacer("HOST", s.Host(), "SIZE", fmt.Sprint(d.Size)).Replace(tt.want)
			if tt.opened > 0 && (broken.Load() != tt.opened || !outcome.Failed(err)) {
				t.Errorf("%d connections: %v", broken.Load(), err)
			}
			if strings.Contains(tt.want, "EOF") && !outcome.Failed(err) {
				t.Errorf("it is no outage: %v", err)
			}
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), repo.String())):
				t.Errorf("got %v, want %q", err, tt.want)
			case err == nil:
				want, err := layers[0].Compressed()
				if err != nil {
					t.Fatal(err)
				}
				if b, err := io.ReadAll(want); err != nil || string(b) != string(got) {
					t.Errorf("%d other bytes, %v", len(got), err)
				}
			}
			if tt.ranges && sent.Load() > d.Size {
				t.Errorf("%d bytes were sent over %d connections, the blob has %d", sent.Load(), broken.Load(), d.Size)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	s := registrytest.Serve(t)
	_, err := network.New(options()).Stream(t.Context(), s.Repo(t, "team/app"),
		v1.Descriptor{Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}, Size: 10})
	if outcome.Of(err) != outcome.Absent {
		t.Errorf("a blob that is not there: %v", err)
	}
}
