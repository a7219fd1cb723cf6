package transfer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// TestPlatforms asks for an index, one of its children, an image of a single manifest, and what
// is not there.
func TestPlatforms(t *testing.T) {
	s := registrytest.Serve(t)
	host := strings.TrimPrefix(s.URL, "http://")
	index := digestOf(t, host+"/pause", registrytest.Pause(t, host+"/pause:3", s.URL, []byte("foreign")))
	img, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1",
		OSFeatures: []string{"win32k"},
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	single := digestOf(t, host+"/single", h)
	if err := remote.Write(single, img); err != nil {
		t.Fatal(err)
	}
	none := digestOf(t, host+"/single", v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)})

	got, err := transfer.New(quick).Trees(t.Context(), []name.Reference{index, single, none})
	if err != nil {
		t.Fatal(err)
	}
	text := map[string][]string{}
	for ref, tree := range got {
		for _, p := range tree.Platforms() {
			text[ref] = append(text[ref], p.String())
		}
	}
	want := map[string][]string{
		index.String():  {"linux/amd64", "linux/arm64/v8", "windows/amd64:10.0.17763.6893"},
		single.String(): {"windows/amd64:10.0.20348.1"},
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	s.Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	if _, err := transfer.New(quick).Trees(t.Context(), []name.Reference{index}); err == nil ||
		!strings.Contains(err.Error(), "looking at "+index.String()) {
		t.Errorf("a registry that refuses: %v", err)
	}
}

func digestOf(t *testing.T, repository string, h v1.Hash) name.Digest {
	t.Helper()
	d, err := name.NewDigest(repository + "@" + h.String())
	if err != nil {
		t.Fatal(err)
	}
	return d
}
