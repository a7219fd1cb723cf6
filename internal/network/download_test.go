package network_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/network"
)

// TestDownload reads a file whose connection breaks off now and then, from servers that answer
// with the rest of it or begin anew.
func TestDownload(t *testing.T) {
	file := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	for name, tt := range map[string]struct {
		noRanges bool
		breaks   int32  // how many connections break off
		nothing  bool   // before the first byte
		changed  []byte // the file after the first connection
		tag      bool   // the server has an ETag
		missing  bool
		want     string // of the error
		result   []byte // the file if nil
	}{
		"complete":              {},
		"breaks off, ranges":    {breaks: 3},
		"breaks off, no ranges": {breaks: 3, noRanges: true},
		"breaks off, ETag":      {breaks: 2, tag: true},
		"always breaks off":     {breaks: 1000, nothing: true, want: "unexpected EOF"},
		"another file, ETag": {
			breaks: 1, tag: true, changed: bytes.ToUpper(file),
			result: append(bytes.Clone(file[:len(file)/2]), bytes.ToUpper(file[len(file)/2:])...),
		},
		"a shorter one": {
			breaks: 1, tag: true, changed: file[:10],
			want: "has fewer than the 160000 bytes that were read: the file has changed",
		},
		"a shorter one, no ETag": {breaks: 1, changed: file[:10], want: "answers 416 "},
		"it is not there":        {missing: true, want: "answers 404 Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			var sent atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				n := requests.Add(1)
				if tt.missing {
					http.NotFound(w, q)
					return
				}
				have := file
				if n > 1 && tt.changed != nil {
					have = tt.changed
				}
				if tt.noRanges {
					q.Header.Del("Range")
				}
				full := httptest.NewRecorder()
				if tt.tag {
					full.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(have)))
				}
				http.ServeContent(full, q, "", time.Time{}, bytes.NewReader(have))
				for k, v := range full.Header() {
					w.Header()[k] = v
				}
				w.WriteHeader(full.Code)
				body := full.Body.Bytes()
				off := n <= tt.breaks
				if off {
					body = body[:len(body)/2]
				}
				if off && tt.nothing {
					body = nil
				}
				sent.Add(int64(len(body))) // before the client has them
				w.Write(body)              //nolint:errcheck // the client of this test may have gone
				if off {
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				}
			}))
			t.Cleanup(s.Close)
			o := options()
			o.Attempts = 4
			got, err := download(t, network.New(o), s.URL+"/file")
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				return
			}
			want := tt.result
			if want == nil {
				want = file
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d other bytes, %v", len(got), err)
			}
			if !tt.noRanges && tt.changed == nil && sent.Load() != int64(len(file)) {
				t.Errorf("%d bytes were sent over %d connections, the file has %d", sent.Load(),
					requests.Load(), len(file))
			}
		})
	}
}

func download(t *testing.T, c *network.Client, url string) ([]byte, error) {
	t.Helper()
	r, err := c.Download(t.Context(), url, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
