package registry_test

import (
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/registry"
)

func TestReadOnly(t *testing.T) {
	full, st, l := demo(t)
	r := registry.ReadOnly{Registry: full}
	agent := "/v2/acme/demo/agent"
	blob, _, err := v1.SHA256(strings.NewReader("blob"))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v2/", 200},
		{"GET", agent + "/manifests/1.2.3", 200},
		{"HEAD", agent + "/manifests/1.2.3", 200},
		{"GET", agent + "/blobs/" + l.Images[0].Children[0].Config.String(), 200},
		{"POST", agent + "/blobs/uploads/", 405},
		{"POST", agent + "/blobs/uploads/?digest=" + blob.String(), 405},
		{"POST", agent + "/blobs/uploads/?mount=" + l.Images[0].Children[0].Config.String(), 405},
		{"PATCH", agent + "/blobs/uploads/x", 405},
		{"PUT", agent + "/blobs/uploads/x?digest=" + blob.String(), 405},
		{"PUT", agent + "/manifests/2", 405},
		{"DELETE", agent + "/manifests/1.2.3", 405},
	} {
		a, body := call(t, r, q.method, q.path, "blob")
		if a.StatusCode != q.status {
			t.Errorf("%s %s: %s", q.method, q.path, a.Status)
		}
		if q.status == 405 && (!strings.Contains(body, `"UNSUPPORTED"`) || a.Header.Get("Allow") != "GET, HEAD") {
			t.Errorf("%s %s: %v %s", q.method, q.path, a.Header, body)
		}
	}
	if st.Has(blob) {
		t.Error("it took a blob")
	}
}
