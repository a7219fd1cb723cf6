package network_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
)

// cutting serves a body whose connections break off at random places, by a fixed seed.
type cutting struct {
	body []byte
	cuts int                      // how many connections break off
	lie  func(http.Header)        // changes the header of an answer with a range
	same bool                     // lies with all of the body, also where no range is requested
	next func(body []byte) []byte // what the body is after the first connection; nil: the same

	mu     sync.Mutex
	random *rand.Rand
	asked  []string // the ranges
	sent   int
}

func (c *cutting) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/v2/" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	body := c.body
	if c.next != nil && len(c.asked) > 0 {
		body = c.next(bytes.Clone(body))
	}
	asked := q.Header.Get("Range")
	c.asked = append(c.asked, asked)
	a := httptest.NewRecorder()
	http.ServeContent(a, q, "", time.Time{}, bytes.NewReader(body))
	code, part := a.Code, a.Body.Bytes()
	if c.lie != nil && (asked != "" || c.same && len(c.asked) > 1) {
		code, part = http.StatusPartialContent, body
		a.Header().Set("Content-Length", fmt.Sprint(len(part)))
		c.lie(a.Header())
	}
	for k, v := range a.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(code)
	off := len(c.asked) <= c.cuts && len(part) > 1
	if off {
		part = part[:1+c.random.IntN(len(part)-1)]
	}
	c.sent += len(part)
	w.Write(part) //nolint:errcheck // the client of this test may have gone
	if off {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// read reads the body as a file of the web or as a blob of a registry.
func (c *cutting) read(t *testing.T, blob bool) ([]byte, error) {
	t.Helper()
	c.random = rand.New(rand.NewPCG(1, 2)) //nolint:gosec // it chooses places
	s := httptest.NewServer(c)
	defer s.Close()
	client := network.New(options())
	if !blob {
		return download(t, client, s.URL+"/file")
	}
	repo, err := name.NewRepository(strings.TrimPrefix(s.URL, "http://") + "/team/app")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(c.body)
	r, err := client.Stream(t.Context(), repo, v1.Descriptor{
		Digest: v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}, Size: int64(len(c.body)),
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// contentRange returns a lie: a header with a range.
func contentRange(value string) func(http.Header) {
	return func(h http.Header) {
		h.Del("Content-Range")
		if value != "" {
			h.Set("Content-Range", value)
		}
	}
}

// TestResumed: what breaks off anywhere goes on there, a byte is not sent twice, and a server that
// answers with another range is asked for the whole.
func TestResumed(t *testing.T) {
	body := make([]byte, 200_000)
	rand.NewChaCha8([32]byte{}).Read(body) //nolint:errcheck // never fails
	for name, tt := range map[string]struct {
		c     *cutting
		again bool   // bytes may be sent twice
		want  string // of the error of a blob
		file  string // of that of a file
	}{
		"random places":          {c: &cutting{cuts: 20}},
		"a range from the start": {c: &cutting{cuts: 1, lie: contentRange("bytes 0-199999/200000")}, again: true},
		"no range":               {c: &cutting{cuts: 1, lie: contentRange("")}, again: true},
		"a range of something":   {c: &cutting{cuts: 1, lie: contentRange("lines 1-2/3")}, again: true},
		"every answer is a range": {
			c:    &cutting{cuts: 1, lie: contentRange("bytes 0-199999/200000"), same: true},
			want: "206", // which a registry may not answer where none was requested
			file: `answers with the range "bytes 0-199999/200000" where the one from byte`,
		},
		"another body": {
			c:    &cutting{cuts: 1, next: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
			want: "its bytes have the digest sha256:", // of a file, whoever reads it knows the digest
		},
	} {
		for _, blob := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, blob %v", name, blob), func(t *testing.T) {
				c := &cutting{body: body, cuts: tt.c.cuts, lie: tt.c.lie, same: tt.c.same, next: tt.c.next}
				want := tt.want
				if !blob {
					want = tt.file
				}
				got, err := c.read(t, blob)
				switch {
				case want != "":
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("got %v, want %q", err, want)
					}
				case err != nil:
					t.Errorf("%v, of the ranges %q", err, c.asked)
				case c.next == nil && !bytes.Equal(got, body):
					t.Error("other bytes")
				case !tt.again && c.sent != len(body):
					t.Errorf("%d bytes were sent for %d", c.sent, len(body))
				case tt.again && (len(c.asked) != 3 || c.asked[2] != ""):
					t.Errorf("it was asked for the ranges %q", c.asked)
				}
			})
		}
	}
}

// TestResumedSize: a range of a blob of another size is not gone on with.
func TestResumedSize(t *testing.T) {
	c := &cutting{body: []byte(strings.Repeat("0123456789", 1000)), cuts: 1}
	c.lie = func(h http.Header) {
		from := strings.TrimSuffix(strings.TrimPrefix(c.asked[1], "bytes="), "-9999")
		h.Set("Content-Range", "bytes "+from+"-9999/10001")
	}
	if got, err := c.read(t, true); err != nil || !bytes.Equal(got, c.body) || len(c.asked) != 3 {
		t.Errorf("%d bytes, %v, asked for %q", len(got), err, c.asked)
	}
}

// TestResumedWhole: an answer with the rest is not the whole that was requested.
func TestResumedWhole(t *testing.T) {
	c := &cutting{body: []byte(strings.Repeat("0123456789", 1000)), cuts: 1, same: true}
	c.lie = func(h http.Header) {
		contentRange("")(h)
		if len(c.asked) > 2 {
			h.Set("Content-Range", strings.Replace(c.asked[1], "=", " ", 1)+"9999/10000")
		}
	}
	if _, err := c.read(t, false); err == nil || !strings.Contains(err.Error(), "answers with the range") {
		t.Errorf("got %v, asked for %q", err, c.asked)
	}
}
