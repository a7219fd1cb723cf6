package publish_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/store"
)

func list(t *testing.T, references ...string) []product.ThirdParty {
	t.Helper()
	var all []product.ThirdParty
	for n, text := range references {
		ref, err := name.ParseReference(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, product.ThirdParty{
			Reference: ref, Text: text,
			Pos: yamlfile.Pos{File: "images.txt", Line: n + 1, Column: 1},
		})
	}
	return all
}

func TestThirdParty(t *testing.T) {
	p, st, l := cut(t, 500)
	s := registrytest.Serve(t)
	foreign := bytes.Repeat([]byte("windows"), 1000)
	var mu sync.Mutex
	var fetched []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		fetched = append(fetched, q.URL.Path)
		mu.Unlock()
		if q.URL.Path != "/layer" || q.Header.Get("Authorization") != "" {
			registrytest.Lacks(w)
			return
		}
		w.Write(foreign) //nolint:errcheck // the client of this very test
	}))
	defer elsewhere.Close()
	h := registrytest.Pause(t, s.Host()+"/pause:3.10", elsewhere.URL, foreign)

	p.Registry = s.Host()
	pinned := fmt.Sprintf("%s/pause:3.9@%s", s.Host(), h) // the tag does not exist: the digest wins
	p.Airgap.Images = list(t, s.Host()+"/pause:3.10", pinned)
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	want := []platform.Platform{{OS: "linux", Architecture: "amd64"}, {
		OS: "linux", Architecture: "arm64",
		Variant: "v8",
	}, {OS: "windows", Architecture: "amd64", OSVersion: "10.0.17763.6893"}}
	for n, tp := range out.ThirdParty {
		if tp.Digest != h || tp.Omitted != "" || !slices.Equal(tp.Platforms, want) ||
			tp.MediaType != types.DockerManifestList || tp.Reference != p.Airgap.Images[n].Text {
			t.Errorf("the lock has %+v", tp)
		}
	}
	complete(t, st, h)
	mu.Lock()
	if !slices.Contains(fetched, "/layer") {
		t.Errorf("the foreign layer was not fetched: %v", fetched)
	}
	mu.Unlock()
	if n := s.Count("GET", "/blobs/"); n != 4*3+1 {
		t.Errorf("%d blobs were asked for, the index has 12 and one elsewhere", n)
	}

	// Complete by its digest: nothing of it is fetched.
	p.Airgap.Images = list(t, pinned)
	s.Reset()
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err != nil {
		t.Fatal(err)
	}
	if n := s.Count("GET", "/pause/blobs/") + s.Count("GET", "/pause/manifests/sha256:"); n != 0 {
		t.Errorf("%d documents are fetched of an image that is in the store", n)
	}

	// One blob is lost: it is fetched, and nothing else is.
	idx, err := storetest.OpenIndex(st, h)
	if err != nil {
		t.Fatal(err)
	}
	im, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	img, err := st.Image(im.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	remove(t, st, m.Layers[1].Digest)
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err != nil {
		t.Fatal(err)
	}
	if n := s.Count("GET", "/pause/blobs/"); n != 1 {
		t.Errorf("%d blobs were fetched, one was lost", n)
	}
	complete(t, st, h)

	// One is cut short.
	if err := os.Truncate(st.Path(m.Layers[1].Digest), 10); err != nil {
		t.Fatal(err)
	}
	for _, p.Airgap.Images = range [][]product.ThirdParty{list(t, pinned), list(t, s.Host()+"/pause:3.10")} {
		if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err == nil ||
			!strings.Contains(err.Error(), "is damaged: "+st.Path(m.Layers[1].Digest)) {
			t.Errorf("with a blob that was cut short: %v", err)
		}
	}
}

func TestThirdPartyInSnapshot(t *testing.T) {
	p, st, l := cut(t, 500)
	s := registrytest.Serve(t)
	h := registrytest.Pause(t, s.Host()+"/pause:3.10", s.URL, nil)
	p.Airgap.Images = list(t, s.Host()+"/pause:3.10", "registry.k8s.io/pause:3.10",
		"registry.k8s.io/pause:3.10@"+h.String())
	// The foreign layer is empty here, and in the store already.
	if _, err := st.PutBytes(nil); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	o := quick
	o.Progress = progress.New(&log)
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
	if err != nil {
		t.Fatal(err)
	}
	tp := out.ThirdParty
	if tp[0].Digest != h || tp[1].Omitted == "" || !strings.Contains(tp[1].Omitted, "-registry") ||
		tp[1].Digest != (v1.Hash{}) {
		t.Errorf("the lock has %+v", tp)
	}
	if !strings.Contains(log.String(), "leaving out registry.k8s.io/pause:3.10: ") {
		t.Errorf("the log says %s", log.String())
	}
	// Which is in the store by now, from the first: this time by digest.
	out, err = publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	if tp := out.ThirdParty[2]; tp.Digest != h || tp.Omitted != "" {
		t.Errorf("the lock has %+v", tp)
	}
	b, err := out.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte(`"digest": ":"`)) {
		t.Error("the lock has an unknown digest")
	}
}

func TestThirdPartyFails(t *testing.T) {
	s := registrytest.Serve(t)
	h := registrytest.Pause(t, s.Host()+"/pause:3.10", s.URL, []byte("x"))
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, tt := range map[string]struct {
		reference string
		trouble   func(http.ResponseWriter, *http.Request) bool
		want      []string
	}{
		"unknown tag": {reference: s.Host() + "/pause:4", want: []string{"/pause:4", "MANIFEST_UNKNOWN"}},
		"unreachable": {
			reference: strings.TrimPrefix(gone.URL, "http://") + "/pause:3.10",
			want: []string{
				"/pause:3.10", "connection refused",
				": check the line images.txt:1:1, or the network and the credentials for 127.0.0.1:",
			},
		},
		"foreign is gone": {reference: s.Host() + "/pause:3.10", want: []string{"/pause:3.10", "/layer", "404"}},
		"blob is damaged": {
			reference: s.Host() + "/pause@" + h.String(), trouble: damage("/blobs/"),
			want: []string{"/pause@" + h.String(), "sha256:"},
		},
		"blob has no end": {
			reference: s.Host() + "/pause@" + h.String(),
			trouble:   endless, want: []string{"/pause@" + h.String(), "sha256:"},
		},
		"index is damaged": {
			reference: s.Host() + "/pause@" + h.String(), trouble: damage("/manifests/"),
			want: []string{"/pause@" + h.String(), "digest"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, st, l := cut(t, 500)
			p.Registry = s.Host()
			p.Airgap.Images = list(t, tt.reference)
			s.Disturb(tt.trouble)
			s.Reset()
			_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
			for _, w := range tt.want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("the error does not say %q: %v", w, err)
				}
			}
			if n := s.Count("PUT", "") + s.Count("POST", ""); n != 0 {
				t.Error("images were pushed although the release cannot be complete")
			}
			if st.Has(h) {
				t.Error("the index is in the store without all it names")
			}
		})
	}
}

// damage answers GETs of what is below a path with other bytes.
func damage(path string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodGet || !strings.Contains(q.URL.Path, "/pause"+path) {
			return false
		}
		w.Header().Set("Content-Type", string(types.DockerManifestList))
		w.Write([]byte(`{"schemaVersion":2}`)) //nolint:errcheck // the client of this very test
		return true
	}
}

// endless answers GETs of blobs with more than the client asked for.
func endless(w http.ResponseWriter, q *http.Request) bool {
	if q.Method != http.MethodGet || !strings.Contains(q.URL.Path, "/pause/blobs/") {
		return false
	}
	for p := make([]byte, 1<<20); ; {
		if _, err := w.Write(p); err != nil {
			return true // the client hung up, as it should
		}
	}
}

// complete checks that all below an index is in the store.
func complete(t *testing.T, st *store.Store, h v1.Hash) {
	t.Helper()
	idx, err := storetest.OpenIndex(st, h)
	if err != nil {
		t.Fatal(err)
	}
	m, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range m.Manifests {
		hasImage(t, st, d.Digest)
	}
}
