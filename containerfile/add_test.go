package containerfile_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

func TestAddURL(t *testing.T) {
	var requests, flaky atomic.Int32
	const body = "fetched\n"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		switch r.URL.Path {
		case "/gone":
			http.NotFound(w, r)
			return
		case "/flaky": // breaks off in the body, and is busy then
			switch flaky.Add(1) {
			case 1:
				w.Header().Set("Content-Length", "8")
				fmt.Fprint(w, "fet")
				panic(http.ErrAbortHandler)
			case 2:
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
		case "/plain":
			http.Redirect(w, r, "http://example.com/tool", http.StatusFound)
			return
		}
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	right := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(body)))
	wrong := "sha256:" + strings.Repeat("0", 64)
	for _, tc := range []struct{ name, add, want string }{
		{
			"right, to a directory", "--checksum=" + right + " URL/path/tool.txt?x=1 /bin/",
			"file 0600 0:0 /bin/tool.txt \"fetched\\n\"",
		},
		{
			"right, to a file", "--checksum=" + right + " URL/tool /bin/renamed",
			"file 0600 0:0 /bin/renamed \"fetched\\n\"",
		},
		{"right, after faults", "--checksum=" + right + " URL/flaky /t", "file 0600 0:0 /t \"fetched\\n\""},
		{
			"right, with mode and owner", "--chmod=755 --chown=1:2 --checksum=" + right + " URL/tool /t",
			"file 0755 1:2 /t \"fetched\\n\"",
		},
		{
			"right, unpacked where it is no archive", "--unpack --checksum=" + right + " URL/tool /t",
			"file 0600 0:0 /t \"fetched\\n\"",
		},
		{"wrong", "--checksum=" + wrong + " URL/tool /t", "the file has changed, or the checksum is wrong"},
		{"not there", "--checksum=" + strings.ReplaceAll(wrong, "0", "1") + " URL/gone /t", "answers 404"},
		{
			"redirected to plain HTTP", "--checksum=" + strings.ReplaceAll(wrong, "0", "2") + " URL/plain /t",
			"plain HTTP is for loopback addresses only",
		},
		{
			"RUN", `RUN curl -fsSLo /t URL/tool && echo "` + right[7:] + `  /t" | sha256sum -c - && chmod 750 /t`,
			"file 0750 0:0 /t \"fetched\\n\"",
		},
		{
			"RUN, moved", `RUN wget -q URL/tool && mv tool /t && echo "` + right[7:] + ` */t" | shasum -a 256 -c`,
			"file 0644 0:0 /t \"fetched\\n\"",
		},
		{"RUN, checked and removed", `RUN wget -q URL/gone && rm gone && echo x > /t`, "file 0644 0:0 /t \"x\\n\""},
		{
			"RUN, wrong", `RUN curl -o /t URL/tool && echo "` + wrong[7:] + `  /t" | sha256sum -c -`,
			"the file has changed, or the checksum is wrong",
		},
		{"RUN, two checksums", `RUN curl -o /t URL/tool && echo "` + right[7:] + `  /t" | sha256sum -c - && echo "` +
			wrong[7:] + `  /t" | sha256sum -c`, "/t has the checksum " + right[7:]},
		{"without", "URL/tool /t", "needs --checksum"},
		{"plain", "--checksum=" + right + " http://example.com/tool /t", "write https"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dockerfiletest.Load(t, &txtar.Archive{})
			in := c.Input
			in.Client = network.New(network.Options{Transport: server.Client().Transport, Wait: time.Microsecond})
			in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
			line := strings.ReplaceAll(tc.add, "URL", server.URL)
			if !strings.HasPrefix(line, "RUN ") {
				line = "ADD " + line
			}
			in.Source = []byte("FROM scratch\n" + line + "\n")
			var got string
			r, err := build(t, in)
			if err != nil {
				got = err.Error()
			} else {
				got = dump(t, r)
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s\nwant %s", got, tc.want)
			}
			if err != nil {
				return
			}
			before := requests.Load()
			if _, err := containerfile.Build(t.Context(), in); err != nil || requests.Load() != before {
				t.Errorf("built again it asks the server %d times and fails with %v", requests.Load()-before, err)
			}
		})
	}
}
