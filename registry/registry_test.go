package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/store"
)

// demo is a registry with a release in it, and that release.
func demo(tb testing.TB) (*registry.Registry, *store.Store, *lock.Lock) {
	tb.Helper()
	st, err := store.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	l := storetest.Release(tb, st, 1000)
	for n := range l.Images {
		l.Images[n].Repository = "registry.example.com:5000/acme/demo/" + l.Images[n].Name
	}
	r := registry.New(st, l)
	tb.Cleanup(func() { r.Close() }) //nolint:errcheck // it returns nil
	return r, st, l
}

// call makes one request, without a socket.
func call(tb testing.TB, h http.Handler, method, path, body string, header ...string) (*http.Response, string) {
	tb.Helper()
	q, err := http.NewRequest(method, "http://slipway.local"+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	for n := 0; n+1 < len(header); n += 2 {
		q.Header.Set(header[n], header[n+1])
	}
	a, err := registry.Transport(h).RoundTrip(q)
	if err != nil {
		tb.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return a, string(b)
}

func TestAnswers(t *testing.T) {
	r, _, l := demo(t)
	agent := l.Images[0]
	config := agent.Children[0].Config
	nothing := "sha256:" + strings.Repeat("0", 64)
	for _, tt := range []struct {
		method, path string
		header       []string
		status       int
		want         string // part of the body, or of the headers as "Name: value"
	}{
		{"GET", "/v2/", nil, 200, "Docker-Distribution-Api-Version: registry/2.0"},
		{"GET", "/v2", nil, 200, "{}"},
		{
			"GET", "/v2/_catalog",
			nil, 200, `{"repositories":["acme/demo/agent","acme/demo/lifecycle","acme/demo/server"]}`,
		},
		{"GET", "/v2/_catalog?n=1", nil, 200, `{"repositories":["acme/demo/agent"]}`},
		{"GET", "/v2/_catalog?n=1", nil, 200, `Link: </v2/_catalog?last=acme%2Fdemo%2Fagent&n=1>; rel="next"`},
		{
			"GET", "/v2/_catalog?n=5&last=acme/demo/agent",
			nil, 200, `{"repositories":["acme/demo/lifecycle","acme/demo/server"]}`,
		},
		{"GET", "/v2/acme/demo/agent/tags/list", nil, 200, `{"name":"acme/demo/agent","tags":["1.2.3"]}`},
		{"GET", "/v2/acme/demo/none/tags/list", nil, 404, "NAME_UNKNOWN"},
		{"GET", "/v2/acme/demo/agent/manifests/1.2.3", nil, 200, "Docker-Content-Digest: " + agent.Digest.String()},
		{"GET", "/v2/acme/demo/agent/manifests/1.2.3", nil, 200, "Content-Type: " + string(types.OCIImageIndex)},
		{"HEAD", "/v2/acme/demo/agent/manifests/1.2.3", nil, 200, fmt.Sprintf("Content-Length: %d", agent.Size)},
		{
			"GET", "/v2/acme/demo/agent/manifests/" + agent.Children[1].Digest.String(),
			nil, 200, "Content-Type: " + string(types.OCIManifestSchema1),
		},
		{"GET", "/v2/acme/demo/agent/manifests/9", nil, 404, "MANIFEST_UNKNOWN"},
		{"GET", "/v2/acme/demo/agent/manifests/" + nothing, nil, 404, "MANIFEST_UNKNOWN"},
		{"GET", "/v2/acme/demo/agent/manifests/" + config.String(), nil, 404, "neither an image manifest nor an index"},
		{"GET", "/v2/acme/demo/agent/blobs/" + config.String(), nil, 200, `"os":"linux"`},
		{"HEAD", "/v2/acme/demo/agent/blobs/" + config.String(), nil, 200, "Docker-Content-Digest: " + config.String()},
		{
			"GET", "/v2/acme/demo/agent/blobs/" + config.String(),
			[]string{"Range", "bytes=1-5"},
			206,
			"Content-Range: bytes 1-5/",
		},
		{"GET", "/v2/acme/demo/agent/blobs/" + config.String(), []string{"Range", "bytes=999999-"}, 416, ""},
		{
			"GET", "/v2/acme/demo/agent/blobs/" + config.String(),
			[]string{"If-None-Match", `"` + config.String() + `"`},
			304, "",
		},
		{"GET", "/v2/acme/demo/agent/blobs/" + nothing, nil, 404, "BLOB_UNKNOWN"},
		{"GET", "/v2/acme/demo/agent/blobs/sha256:..", nil, 400, "DIGEST_INVALID"},
		{"GET", "/v2/acme/demo/agent/referrers/" + agent.Digest.String(), nil, 200, `"manifests":[]`},
		{
			"GET", "/v2/acme/demo/agent/referrers/" + agent.Digest.String(),
			nil, 200, "Content-Type: " + string(types.OCIImageIndex),
		},
		{"GET", "/v2/acme/demo/agent/referrers/latest", nil, 400, "DIGEST_INVALID"},
		{"DELETE", "/v2/acme/demo/agent/manifests/1.2.3", nil, 405, "UNSUPPORTED"},
		{"PATCH", "/v2/acme/demo/agent/blobs/uploads/none", nil, 404, "BLOB_UPLOAD_UNKNOWN"},
		{"GET", "/v2/UPPER/manifests/1", nil, 404, "NAME_UNKNOWN"},
		{"GET", "/v2/a/../../etc/passwd/blobs/x", nil, 404, "NAME_UNKNOWN"},
		{"GET", "/other", nil, 404, "NAME_UNKNOWN"},
	} {
		a, body := call(t, r, tt.method, tt.path, "", tt.header...)
		all := body
		for k, v := range a.Header {
			all += "\n" + k + ": " + strings.Join(v, ", ")
		}
		if a.StatusCode != tt.status || !strings.Contains(all, tt.want) {
			t.Errorf("%s %s %v: %d, want %d with %q\n%s", tt.method, tt.path, tt.header, a.StatusCode,
				tt.status, tt.want, all)
		}
		if tt.method == "HEAD" && body != "" {
			t.Errorf("HEAD %s has a body", tt.path)
		}
		if a.StatusCode >= 400 && a.StatusCode != http.StatusRequestedRangeNotSatisfiable {
			var e struct {
				Errors []struct{ Code, Message string }
			}
			if err := json.Unmarshal([]byte(body), &e); err != nil || len(e.Errors) != 1 || e.Errors[0].Message == "" {
				t.Errorf("%s %s: the error does not have the form of the specification: %s", tt.method, tt.path, body)
			}
		}
	}
}

// TestAnswersNames asks for an image by each of its names.
func TestAnswersNames(t *testing.T) {
	_, st, l := demo(t)
	i := &l.Images[0]
	i.Tags = append(i.Tags, "1.2.3-full")
	i.PlatformTags = []lock.PlatformTag{{
		Tag: "1.2.3-linux-amd64", MediaType: i.Children[0].MediaType,
		Digest: i.Children[0].Digest, Size: i.Children[0].Size,
	}}
	i.FloatingTags = []lock.FloatingTag{
		{Tag: "latest", Repository: i.Repository},
		{Tag: "v1", Repository: i.Repository, Kept: "it names a newer one"},
	}
	l.Images[1].Repository, l.Images[1].Tags = i.Repository, []string{"1.2.3-server"}
	r := registry.New(st, l)
	t.Cleanup(func() { r.Close() }) //nolint:errcheck // it returns nil
	_, body := call(t, r, "GET", "/v2/acme/demo/agent/tags/list", "")
	if want := `"tags":["1.2.3","1.2.3-full","1.2.3-linux-amd64","1.2.3-server","latest"]`; !strings.Contains(body,
		want) {
		t.Errorf("the tags are %s, want %s", body, want)
	}
	for tag, want := range map[string]string{
		"1.2.3-full": i.Digest.String(), "latest": i.Digest.String(),
		"1.2.3-linux-amd64": i.Children[0].Digest.String(), "1.2.3-server": l.Images[1].Digest.String(),
	} {
		if a, _ := call(t, r, "GET", "/v2/acme/demo/agent/manifests/"+tag,
			""); a.Header.Get("Docker-Content-Digest") != want {
			t.Errorf("%s is %v, want %s", tag, a.Header, want)
		}
	}
}

func TestReferrers(t *testing.T) {
	_, st, l := demo(t)
	h, err := st.PutBytes([]byte(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json"}`))
	if err != nil {
		t.Fatal(err)
	}
	l.Images[0].Referrers = []oci.Referrer{{
		ArtifactType: "application/spdx+json", MediaType: types.OCIManifestSchema1,
		Digest: h, Size: 5,
	}}
	r := registry.New(st, l)
	path := "/v2/acme/demo/agent/referrers/" + l.Images[0].Digest.String()
	for query, want := range map[string]bool{
		"": true, "?artifactType=application/spdx%2Bjson": true,
		"?artifactType=other": false,
	} {
		a, body := call(t, r, "GET", path+query, "")
		if got := strings.Contains(body, h.String()); got != want {
			t.Errorf("%s: %s", query, body)
		}
		if filtered := a.Header.Get("OCI-Filters-Applied") != ""; filtered != (query != "") {
			t.Errorf("%s: filtered %v", query, filtered)
		}
	}
}

// TestPushedReferrer pushes an artifact about an image, twice: the referrers API lists it once,
// with its type and annotations.
func TestPushedReferrer(t *testing.T) {
	r, st, l := demo(t)
	config, err := st.PutBytes([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	subject := l.Images[0].Digest.String()
	m := fmt.Sprintf(
		`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/spdx+json","config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":%q,"size":2},"layers":[],"subject":{"mediaType":"application/vnd.oci.image.index.v1+json","digest":%q,"size":7},"annotations":{"of":"a test"}}`, config, subject)
	h, _, err := v1.SHA256(strings.NewReader(m))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a, body := call(t, r, "PUT", "/v2/acme/demo/agent/manifests/"+h.String(), m)
		if a.StatusCode != http.StatusCreated || a.Header.Get("OCI-Subject") != subject {
			t.Fatalf("%d %v %s", a.StatusCode, a.Header, body)
		}
	}
	_, body := call(t, r, "GET", "/v2/acme/demo/agent/referrers/"+subject, "")
	want := fmt.Sprintf(
		`{"mediaType":"application/vnd.oci.image.manifest.v1+json","size":%d,"digest":%q,"annotations":{"of":"a test"},"artifactType":"application/spdx+json"}`, len(m), h)
	if !strings.Contains(body, `"manifests":[`+want+`]`) {
		t.Errorf("got %s, want %s", body, want)
	}
}

// TestThirdParty looks for third-party images where a mirror has them.
func TestThirdParty(t *testing.T) {
	_, st, l := demo(t)
	d := l.Images[1].Digest
	for _, reference := range []string{
		"registry.k8s.io/pause:3.10", "busybox:1", "grafana/grafana:12@" + d.String(),
		"localhost/x:1", "quay.io/left/out:1",
	} {
		tp := lock.ThirdParty{Reference: reference, Digest: d}
		if strings.Contains(reference, "left") {
			tp = lock.ThirdParty{Reference: reference, Omitted: "no network"}
		}
		l.ThirdParty = append(l.ThirdParty, tp)
	}
	r := registry.New(st, l)
	for path, want := range map[string]int{
		"left/out/tags/list": 404, "pause/manifests/3.10": 200, "library/busybox/manifests/1": 200,
		"grafana/grafana/manifests/12": 200, "x/manifests/1": 200, "left/out/manifests/1": 404,
	} {
		if a, body := call(t, r, "HEAD", "/v2/"+path, ""); a.StatusCode != want {
			t.Errorf("%s: %d, want %d: %s", path, a.StatusCode, want, body)
		}
	}
}

// TestSameName serves two third-party images whose names differ in the host alone, and one that has
// the name of the product's own image: no tag gives another image than the one of that name.
func TestSameName(t *testing.T) {
	_, st, l := demo(t)
	one, other := l.Images[0].Digest, l.Images[1].Digest
	_, own, _ := strings.Cut(l.Images[0].Tagged(), "/")
	l.ThirdParty = append(l.ThirdParty,
		lock.ThirdParty{Reference: "one.example/x/y:1.0", Digest: one},
		lock.ThirdParty{Reference: "other.example/x/y:1.0", Digest: other},
		lock.ThirdParty{Reference: "third.example/x/y:1.0", Digest: one},
		lock.ThirdParty{Reference: "one.example/same:1.0", Digest: one},
		lock.ThirdParty{Reference: "other.example/same:1.0", Digest: one},
		lock.ThirdParty{Reference: "other.example/" + own, Digest: other},
	)
	r := registry.New(st, l)
	path, tag, _ := strings.Cut(own, ":")
	for at, want := range map[string]string{
		"x/y/manifests/1.0":               "",
		"x/y/manifests/" + other.String(): other.String(),
		"same/manifests/1.0":              one.String(),
		path + "/manifests/" + tag:        one.String(),
	} {
		a, body := call(t, r, "HEAD", "/v2/"+at, "")
		if got := a.Header.Get("Docker-Content-Digest"); got != want {
			t.Errorf("%s: %d, %q, want %q: %s", at, a.StatusCode, got, want, body)
		}
	}
	if said := r.Ambiguous(); len(said) != 2 || !strings.Contains(said[0], "one.example/x/y:1.0 as x/y@"+one.String()) ||
		!strings.Contains(said[0], "third.example/x/y:1.0 as") || !strings.Contains(said[1], "other.example/"+own+" as") {
		t.Errorf("it says %q", said)
	}
}

func TestUpload(t *testing.T) {
	r, st, l := demo(t)
	digest := func(s string) v1.Hash {
		h, _, err := v1.SHA256(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	session := func() string {
		a, _ := call(t, r, "POST", "/v2/new/blobs/uploads/", "")
		if a.StatusCode != http.StatusAccepted {
			t.Fatalf("opening an upload: %d", a.StatusCode)
		}
		return a.Header.Get("Location")
	}
	expect := func(what string, a *http.Response, status int) {
		t.Helper()
		if a.StatusCode != status {
			t.Errorf("%s: %d, want %d", what, a.StatusCode, status)
		}
	}

	at := session()
	a, _ := call(t, r, "PATCH", at, "in two ")
	expect("first piece", a, 202)
	if got := a.Header.Get("Range"); got != "0-6" {
		t.Errorf("range %s", got)
	}
	a, _ = call(t, r, "PATCH", at, "pieces")
	expect("second piece", a, 202)
	h := digest("in two pieces")
	a, _ = call(t, r, "PUT", at+"?digest="+h.String(), "")
	expect("closing", a, 201)
	if !st.Has(h) {
		t.Error("the blob is not in the store")
	}
	a, _ = call(t, r, "PUT", at+"?digest="+h.String(), "")
	expect("closing twice", a, 404)

	a, _ = call(t, r, "PUT", session()+"?digest="+digest("whole").String(), "whole")
	expect("in one PUT", a, 201)
	a, _ = call(t, r, "POST", "/v2/new/blobs/uploads/?digest="+digest("single").String(), "single")
	expect("in one POST", a, 201)
	a, _ = call(t, r, "POST",
		"/v2/new/blobs/uploads/?from=acme/demo/agent&mount="+l.Images[0].Children[0].Config.String(), "")
	expect("mount", a, 201)
	a, _ = call(t, r, "POST", "/v2/new/blobs/uploads/?from=acme/demo/agent&mount="+digest("nowhere").String(), "")
	expect("mount of nothing", a, 202)
	a, body := call(t, r, "PUT", session()+"?digest="+digest("promised").String(), "delivered")
	expect("wrong digest", a, 400)
	if !strings.Contains(body, "DIGEST_INVALID") || st.Has(digest("delivered")) {
		t.Errorf("a blob with a wrong digest: %s", body)
	}
	a, _ = call(t, r, "PUT", session(), "no digest")
	expect("no digest", a, 400)
	at = session()
	a, _ = call(t, r, "DELETE", at, "")
	expect("giving up", a, 204)
	session() // left open: Close drops it
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(st.Dir(), "blobs", ".incoming-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestPutManifest(t *testing.T) {
	r, st, l := demo(t)
	raw, err := os.ReadFile(st.Path(l.Images[1].Digest))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		which, body string
		status      int
		want        string
	}{
		{"new", string(raw), 201, ""},
		{l.Images[1].Digest.String(), string(raw), 201, ""},
		{l.Images[0].Digest.String(), string(raw), 400, "DIGEST_INVALID"},
		{"new", "{}", 400, "MANIFEST_INVALID"},
		{
			"new", `{"schemaVersion":2,"manifests":[{"digest":"sha256:` + strings.Repeat("0", 64) + `"}]}`,
			400, "MANIFEST_BLOB_UNKNOWN",
		},
		{"new", strings.Repeat(" ", 5<<20), 413, "MANIFEST_INVALID"},
	} {
		a, body := call(t, r, "PUT", "/v2/acme/other/manifests/"+tt.which, tt.body)
		if a.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d %s, want %d %s", tt.which, a.StatusCode, body, tt.status, tt.want)
		}
	}
	if _, body := call(t, r, "GET", "/v2/acme/other/tags/list", ""); !strings.Contains(body, `["new"]`) {
		t.Errorf("tags: %s", body)
	}
}

// TestPushAndPull lets go-containerregistry push something and read it back, over a socket and in
// process.
func TestPushAndPull(t *testing.T) {
	r, st, _ := demo(t)
	s := httptest.NewServer(r)
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	idx, err := random.Index(20000, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host      string
		transport http.RoundTripper
	}{{u.Host, http.DefaultTransport}, {registry.Host, registry.Transport(r)}} {
		ref, err := name.NewTag(tt.host + "/some/thing:v1")
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.WriteIndex(ref, idx, remote.WithTransport(tt.transport)); err != nil {
			t.Fatal(err)
		}
		got, err := remote.Index(ref, remote.WithTransport(tt.transport))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(got); err != nil {
			t.Error(err)
		}
	}
	h, err := idx.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.OpenIndex(st, h); err != nil {
		t.Errorf("the store does not have what was pushed: %v", err)
	}
}

// TestTransport calls handlers that behave in odd ways.
func TestTransport(t *testing.T) {
	ended := make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		defer close(ended)
		io.WriteString(w, "a body, HEAD or not") //nolint:errcheck // the client of this very test
	})
	if a, body := call(t, h, "HEAD", "/", ""); a.StatusCode != http.StatusOK || body != "" {
		t.Errorf("%d %q", a.StatusCode, body)
	}
	<-ended // or the handler would hang for ever

	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan struct{})
	defer close(answered)
	stuck := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-answered // or it would answer first, at times
	})
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://slipway.local/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Transport(stuck).RoundTrip(q); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was given up: %v", err)
	}

	// Who reads no further than wanted does not leave the handler hanging.
	wrote := make(chan error, 1)
	long := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 1<<20))
		wrote <- err
	})
	if q, err = http.NewRequestWithContext(t.Context(), http.MethodGet, "http://slipway.local/", nil); err != nil {
		t.Fatal(err)
	}
	a, err := registry.Transport(long).RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if err := <-wrote; err == nil {
		t.Error("the handler wrote a body that nobody reads")
	}
}

// FuzzRegistry sends untrusted requests: none may end in a server error, and whatever is stored
// has the digest it is stored under.
func FuzzRegistry(f *testing.F) {
	r, st, l := demo(f)
	raw, err := os.ReadFile(st.Path(l.Images[0].Digest))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("PUT", "/v2/a/manifests/b", raw)
	f.Add("PUT", "/v2/a/manifests/"+l.Images[0].Digest.String(), raw)
	f.Add("POST", "/v2/a/blobs/uploads/?digest=sha256:00", []byte("x"))
	f.Add("GET", "/v2/_catalog?n=1&last=a", []byte(nil))
	f.Add("GET", "/v2/a/referrers/sha256:00", []byte(nil))
	f.Add("PUT", "/v2/a/manifests/b",
		[]byte(`{"schemaVersion":2,"config":{"digest":"sha256:1"},"layers":[{"urls":["x"]}]}`))
	f.Fuzz(func(t *testing.T, method, path string, body []byte) {
		u, err := url.ParseRequestURI(path)
		if err != nil || u.Host != "" {
			return // no request at all
		}
		q := &http.Request{
			Method: method, URL: u, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)),
			ContentLength: int64(len(body)),
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, q)
		if w.Code >= 500 {
			t.Errorf("%s %q: %d %s", method, path, w.Code, w.Body)
		}
		if h, err := v1.NewHash(w.Header().Get("Docker-Content-Digest")); err == nil && w.Code == http.StatusCreated &&
			!strings.Contains(path, "mount=") {
			if err := st.Prove(t.Context(), h); err != nil {
				t.Error(err)
			}
		}
	})
}
