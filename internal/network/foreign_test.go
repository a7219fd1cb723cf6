package network_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestForeignLayers asks the addresses in the descriptors of layers that a registry does not have:
// those of layers that may not be distributed, and none of another network.
func TestForeignLayers(t *testing.T) {
	const text = "a layer"
	h, size, err := v1.SHA256(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if asked.Add(1); q.URL.Path == "/away" {
			http.Redirect(w, q, "https://169.254.169.254/", http.StatusFound)
		}
		io.WriteString(w, text) //nolint:errcheck // the client may be gone
	}))
	t.Cleanup(web.Close)
	repo := registrytest.Serve(t).Repo(t, "team/app")
	const restricted = "application/vnd.oci.image.layer.nondistributable.v1.tar"
	for _, tc := range []struct {
		media types.MediaType
		url   string
		want  string // of the error
		asks  bool
	}{
		{types.DockerForeignLayer, web.URL, "", true},
		{restricted + "+gzip", web.URL, "", true},
		{restricted + "+zstd", web.URL, "", true},
		{restricted, web.URL, "", true},
		{types.OCILayer, web.URL, "BLOB_UNKNOWN", false},
		{types.OCILayerZStd, web.URL, "BLOB_UNKNOWN", false},
		{types.DockerLayer, web.URL, "BLOB_UNKNOWN", false},
		{"application/octet-stream", web.URL, "BLOB_UNKNOWN", false},
		{types.DockerForeignLayer, "http://registry.example/x", "is not HTTPS", false},
		{types.DockerForeignLayer, "file:///etc/passwd", "is not HTTPS", false},
		{types.DockerForeignLayer, "https://10.255.255.1/x", "10.255.255.1 is an address of a private network", false},
		{types.DockerForeignLayer, "https://[fd00::1]/x", "fd00::1 is an address of a private network", false},
		{types.DockerForeignLayer, "https://169.254.169.254/x", "is an address of a local link", false},
		{types.DockerForeignLayer, "https://[::ffff:a9fe:a9fe]/x", "is an address of a local link", false},
		{types.DockerForeignLayer, web.URL + "/away", "169.254.169.254 is an address of a local link", true},
	} {
		asked.Store(0)
		r, err := network.New(options()).Blob(t.Context(), repo,
			v1.Descriptor{MediaType: tc.media, Digest: h, Size: size, URLs: []string{tc.url}})
		if err == nil {
			var got []byte
			got, err = io.ReadAll(r)
			r.Close()
			if string(got) != text && err == nil {
				t.Errorf("%s at %s: %q", tc.media, tc.url, got)
			}
		}
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) ||
			(asked.Load() > 0) != tc.asks {
			t.Errorf("%s at %s: asked %d times, %v, want %q", tc.media, tc.url, asked.Load(), err, tc.want)
		}
	}
}
