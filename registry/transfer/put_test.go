package transfer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// TestPutOrder pushes an index, and one of its manifests under a tag of its own: the manifest has
// its tag before the index is put.
func TestPutOrder(t *testing.T) {
	st, s := storetest.Open(t), registrytest.Serve(t)
	tree, err := oci.Read(storetest.Release(t, st, 100).Images[0].Descriptor(), st.Get, oci.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	repo, err := name.NewRepository(s.Host() + "/demo/agent")
	if err != nil {
		t.Fatal(err)
	}
	images := []transfer.Image{
		{Name: "agent", Ref: repo.Tag("v1"), Tree: tree},
		{Name: "agent", Ref: repo.Tag("v1-linux-amd64"), Tree: tree.Children[0]},
	}
	if _, err := transfer.New(network.Options{}).Push(t.Context(), images, transfer.Source{Open: st.Open},
		transfer.PushOptions{Task: "push"}); err != nil {
		t.Fatal(err)
	}
	calls, _ := s.Reset()
	at := func(method, tag string) int {
		return slices.IndexFunc(calls, func(c string) bool {
			return strings.HasPrefix(c, method+" ") && strings.HasSuffix(c, "/manifests/"+tag)
		})
	}
	if child, index := at("PUT", "v1-linux-amd64"), at("PUT", "v1"); child < 0 || index < child {
		t.Errorf("the manifest has its tag at request %d, and the index at %d", child, index)
	}
	asked := slices.Index(calls[at("PUT", "v1-linux-amd64"):], "HEAD /v2/demo/agent/manifests/v1-linux-amd64") +
		at("PUT", "v1-linux-amd64")
	if asked > at("PUT", "v1") {
		t.Errorf("the tag was looked for at request %d, after the index was put", asked)
	}
}

// TestReferrerRefused: where a registry refuses an artifact, the error says what it is, and of
// what.
func TestReferrerRefused(t *testing.T) {
	st, s := storetest.Open(t), registrytest.Serve(t)
	image := storetest.Release(t, st, 100).Images[0].Descriptor()
	tree, err := oci.Read(image, st.Get, oci.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	about, err := oci.Read(bundletest.Attached(t, st, "application/vnd.example.sbom", "sbom", "", image).Descriptor(),
		st.Get, oci.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	digest := about.Desc.Digest.String()
	s.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		refused := r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/manifests/"+digest)
		if refused {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
		return refused
	})
	repo, err := name.NewRepository(s.Host() + "/demo/agent")
	if err != nil {
		t.Fatal(err)
	}
	images := append([]transfer.Image{{Name: "agent", Ref: repo.Tag("v1"), Tree: tree}},
		transfer.Referrer("agent", repo.Digest(digest), about, false)...)
	_, err = transfer.New(network.Options{Wait: time.Microsecond}).Push(t.Context(), images, transfer.Source{Open: st.Open},
		transfer.PushOptions{Task: "push"})
	for _, want := range []string{digest, "application/vnd.example.sbom", "refers to " + image.Digest.String()} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s in it", err, want)
		}
	}
}
