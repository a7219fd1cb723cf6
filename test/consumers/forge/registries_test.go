package forge

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// answer is what a forged registry says to a request in place of the registry of the release.
type answer func(f *forger, w http.ResponseWriter, q *http.Request) bool

// copied promotes the release from a copy of its registry that gives forged answers.
func copied(name string, forged answer) mechanism {
	return mechanism{name: "registry: " + name, make: func(f *forger) []forgery {
		to := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: f.w.host})
		}}
		source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if !forged(f, w, q) {
				to.ServeHTTP(w, q)
			}
		}))
		f.t.Cleanup(source.Close)
		target := httptest.NewServer(registrytest.Handler())
		f.t.Cleanup(target.Close)
		from, host := strings.TrimPrefix(source.URL, "http://"), strings.TrimPrefix(target.URL, "http://")
		lock := filepath.Join(f.dir, "release.lock.json")
		put(f.t, lock, get(f.t, f.w.path(newDir, "release.lock.json")))
		d := forgery{form: "promote", door: []string{
			"promote", "-q", "-key=" + f.w.key,
			lock, "-from=" + from + "/made", "-to=" + host + "/mirror", "-product=src/slipway.yaml",
		}}
		d.reads = func(said string) map[string]string {
			found := map[string]string{}
			if got := f.pull(host + "/mirror/hello/hello:" + newDir); got != "" && got != f.signedIndex(newDir) {
				found["a node that pulls from the copy"] = got
			}
			if said == "" && f.differs(from) {
				found["a client that does not compare digests"] = "what the registry says"
			}
			return found
		}
		return []forgery{d}
	}}
}

// pull is the digest of what a tag names.
func (f *forger) pull(tag string) string {
	ref, err := name.NewTag(tag, name.Insecure)
	if err != nil {
		return ""
	}
	d, err := remote.Head(ref)
	if err != nil {
		return ""
	}
	return d.Digest.String()
}

// differs reports whether a copy says something else than the registry of the release to one of the
// requests of a client.
func (f *forger) differs(host string) bool {
	digest := f.signedIndex(newDir)
	config, layer := f.w.all.configs()
	paths := []string{"manifests/" + newDir, "manifests/" + digest, "referrers/" + digest}
	for _, b := range []string{config, layer} {
		paths = append(paths, "blobs/sha256:"+strings.TrimPrefix(b, "blobs/sha256/"))
	}
	for _, p := range paths {
		if f.fetch(host, p) != f.fetch(f.w.host, p) {
			return true
		}
	}
	return false
}

func (f *forger) fetch(host, path string) string {
	q, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, "http://"+host+"/v2/made/hello/hello/"+path,
		nil)
	if err != nil {
		return ""
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return ""
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(a.Body, 1<<20)) // what was read is compared
	return fmt.Sprint(a.StatusCode, a.Header.Get("Content-Type"), a.Header.Get("Docker-Content-Digest"), string(text))
}

// says answers requests whose path has a text with a document.
func says(part func(f *forger) string, mediaType string, digest func(f *forger) string,
	text func(f *forger) []byte,
) answer {
	return func(f *forger, w http.ResponseWriter, q *http.Request) bool {
		if !strings.Contains(q.URL.Path, "/hello/hello/"+part(f)) {
			return false
		}
		body := text(f)
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Docker-Content-Digest", digest(f))
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		if q.Method == http.MethodGet {
			w.Write(body) //nolint:errcheck // whoever asked may be gone
		}
		return true
	}
}

const ociIndex = "application/vnd.oci.image.index.v1+json"

func byTag(*forger) string          { return "manifests/" + newDir }
func byDigest(f *forger) string     { return "manifests/" + f.signedIndex(newDir) }
func referrersOf(f *forger) string  { return "referrers/" + f.signedIndex(newDir) }
func signedOne(f *forger) string    { return f.signedIndex(newDir) }
func evilOne(f *forger) string      { return "sha256:" + f.w.evil.index }
func evilDocument(f *forger) []byte { return f.w.evil.blobs[0].data }

func oldDocument(f *forger) []byte {
	return f.w.old.get("blobs/sha256/" + strings.TrimPrefix(f.signedIndex(oldDir), "sha256:")).data
}

func goodDocument(f *forger) []byte {
	return f.w.all.get("blobs/sha256/" + strings.TrimPrefix(f.signedIndex(newDir), "sha256:")).data
}

func blobOf(layer bool) func(f *forger) string {
	return func(f *forger) string {
		config, l := f.w.all.configs()
		if layer {
			config = l
		}
		return "blobs/sha256:" + strings.TrimPrefix(config, "blobs/sha256/")
	}
}

func init() {
	layouts = append(layouts,
		copied("the tag names the forger's image", says(byTag, ociIndex, evilOne, evilDocument)),
		copied("the tag names the old image",
			says(byTag, ociIndex, func(f *forger) string { return f.signedIndex(oldDir) }, oldDocument)),
		copied("the tag says the signed digest and sends another image",
			says(byTag, ociIndex, signedOne, evilDocument)),
		copied("the digest is answered with another image", says(byDigest, ociIndex, signedOne, evilDocument)),
		copied("the digest is answered with the old image", says(byDigest, ociIndex, signedOne, oldDocument)),
		copied("the digest is answered with another digest", says(byDigest, ociIndex, evilOne, goodDocument)),
		copied("another media type",
			says(byDigest, "application/vnd.oci.image.manifest.v1+json", signedOne, goodDocument)),
		copied("no referrers", says(referrersOf, ociIndex, evilOne, func(*forger) []byte {
			return []byte(`{"schemaVersion":2,"mediaType":"` + ociIndex + `","manifests":[]}`)
		})),
		copied("the forger's image as referrer", says(referrersOf, ociIndex, evilOne, func(f *forger) []byte {
			return []byte(`{"schemaVersion":2,"mediaType":"` + ociIndex + `","manifests":[` + f.w.evil.descriptor("x") +
				`]}`)
		})),
		copied("another layer", says(blobOf(true), "application/octet-stream", evilOne, func(f *forger) []byte {
			return f.w.evil.blobs[3].data
		})),
		copied("another configuration", says(blobOf(false), "application/octet-stream", evilOne,
			func(f *forger) []byte { return f.w.evil.blobs[2].data })),
	)
}
