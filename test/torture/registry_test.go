//go:build linux && amd64

package torture

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// serve makes a registry of a kind answer at the worker's address until stop is called. That of
// kind debian keeps what it has in the worker's directory.
func (w *worker) serve(kind string) (stop func(), err error) {
	if kind != debian {
		w.proxy.behind(registrytest.Handler())
		return func() {}, nil
	}
	config := fmt.Sprintf("version: 0.1\nlog:\n  accesslog:\n    disabled: "+
		"true\nstorage:\n  filesystem:\n    rootdirectory: %s\nhttp:\n  addr: 127.0.0.1:0\n  secret: test\n",
		filepath.Join(w.dir, "registry"))
	path := filepath.Join(w.logs, "registry.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), "docker-registry", "serve", path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if apart(func() { err = cmd.Start() }); err != nil {
		return nil, err
	}
	stop = func() { cmd.Process.Kill(); cmd.Wait() } //nolint:errcheck // it was killed
	listening := regexp.MustCompile(`listening on (127\.0\.0\.1:\d+)`)
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			stop()
			return nil, fmt.Errorf("docker-registry: %w", err)
		}
		if m := listening.FindStringSubmatch(line); m != nil {
			go io.Copy(io.Discard, lines) //nolint:errcheck // ends with the process
			to := &url.URL{Scheme: "http", Host: m[1]}
			w.proxy.behind(&httputil.ReverseProxy{
				Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
				ErrorLog: log.New(io.Discard, "", 0),
			})
			return stop, nil
		}
	}
}

// seed pushes the base and the third-party image of the product.
func seed(host string) error {
	for _, i := range []struct{ repository, os, version, file string }{
		{"windows/nanoserver:ltsc2022", "windows", "10.0.20348.4711", baseFile},
		{"third/pause:1", "linux", "", "pause"},
	} {
		ref, err := name.NewTag(host + "/" + i.repository)
		if err != nil {
			return err
		}
		layer, err := layerOf(i.file)
		if err != nil {
			return err
		}
		img, err := mutate.AppendLayers(empty.Image, layer)
		if err != nil {
			return err
		}
		cf, err := img.ConfigFile()
		if err != nil {
			return err
		}
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture, cf.OSVersion = i.os, "amd64", i.version
		if img, err = mutate.ConfigFile(img, cf); err != nil {
			return err
		}
		idx := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.DockerManifestList),
			mutate.IndexAddendum{
				Add: img,
				Descriptor: v1.Descriptor{Platform: &v1.Platform{
					OS: i.os, Architecture: "amd64",
					OSVersion: i.version,
				}},
			})
		if err := remote.WriteIndex(ref, idx); err != nil {
			return err
		}
	}
	return nil
}

// layerOf returns a layer with one file.
func layerOf(file string) (v1.Layer, error) {
	var text bytes.Buffer
	tw := tar.NewWriter(&text)
	tw.WriteHeader(&tar.Header{Name: file, Typeflag: tar.TypeReg, Size: 1 << 16, Mode: 0o644}) //nolint:errcheck // to memory
	tw.Write(bytes.Repeat([]byte("0123456789abcdef"), 1<<12))                                  //nolint:errcheck // to memory
	tw.Close()                                                                                 //nolint:errcheck // to memory
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text.Bytes())), nil
	})
}

// ofBase is the digest of the base's layer. Slipway may leave it to the base's registry: a store
// without it is sound, and whoever needs it fetches it.
var ofBase = sync.OnceValue(func() v1.Hash {
	layer, err := layerOf(baseFile)
	if err != nil {
		panic(err) // reading from memory cannot fail
	}
	digest, err := layer.Digest()
	if err != nil {
		panic(err) // as above
	}
	return digest
})

const baseFile = "Files/Windows/base"

// content is all that a registry has: what its names refer to, and the requests that push it
// again.
type content struct {
	tags map[string]string // repository:tag → digest
	puts []put
	bad  []string // what is referred to and missing, or has another digest
}

type put struct {
	method, path, mediaType string
	body                    []byte
}

func request(h http.Handler, method, path, mediaType string, body []byte) *httptest.ResponseRecorder {
	q := httptest.NewRequestWithContext(context.Background(), method, path, bytes.NewReader(body))
	q.Header.Set("Content-Type", mediaType)
	for _, t := range []types.MediaType{
		types.OCIImageIndex, types.OCIManifestSchema1, types.DockerManifestList,
		types.DockerManifestSchema2,
	} {
		q.Header.Add("Accept", string(t))
	}
	a := httptest.NewRecorder()
	h.ServeHTTP(a, q)
	return a
}

// crawl reads everything that a registry has under a tag, and the manifests at paths.
func crawl(h http.Handler, paths []string) content {
	c := content{tags: map[string]string{}}
	var catalog struct{ Repositories []string }
	json.Unmarshal(request(h, "GET", "/v2/_catalog?n=1000", "", nil).Body.Bytes(), &catalog) //nolint:errcheck // an empty list then
	for _, repo := range catalog.Repositories {
		var list struct{ Tags []string }
		json.Unmarshal(request(h, "GET", "/v2/"+repo+"/tags/list", "", nil).Body.Bytes(), &list) //nolint:errcheck // as above
		for _, tag := range list.Tags {
			c.tags[repo+":"+tag] = c.manifest(h, repo, tag)
		}
	}
	for _, path := range paths { // parts of a release have no tag
		repo, ref, _ := strings.Cut(strings.TrimPrefix(path, "/v2/"), "/manifests/")
		c.manifest(h, repo, ref)
	}
	return c
}

// manifest reads a manifest and all documents and blobs that it names, and returns its digest.
func (c *content) manifest(h http.Handler, repo, ref string) string {
	a := request(h, "GET", "/v2/"+repo+"/manifests/"+ref, "", nil)
	body := a.Body.Bytes()
	digest, _, _ := v1.SHA256(bytes.NewReader(body)) // reading from memory cannot fail
	if a.Code != http.StatusOK || strings.HasPrefix(ref, "sha256:") && digest.String() != ref {
		c.bad = append(c.bad, fmt.Sprintf("registry: %s@%s: %d", repo, ref, a.Code))
		return ""
	}
	var m v1.Manifest
	var index v1.IndexManifest
	json.Unmarshal(body, &m)     //nolint:errcheck // it is one or the other
	json.Unmarshal(body, &index) //nolint:errcheck // as above
	for _, d := range index.Manifests {
		c.manifest(h, repo, d.Digest.String())
	}
	for _, d := range append(m.Layers, m.Config) {
		if d.Size == 0 {
			continue
		}
		b := request(h, "GET", "/v2/"+repo+"/blobs/"+d.Digest.String(), "", nil)
		if got, _, _ := v1.SHA256(bytes.NewReader(b.Body.Bytes())); got != d.Digest {
			c.bad = append(c.bad, fmt.Sprintf("registry: %s@%s: %d", repo, d.Digest, b.Code))
		}
		c.puts = append(c.puts, put{
			"POST", "/v2/" + repo + "/blobs/uploads/?digest=" + d.Digest.String(),
			"application/octet-stream", b.Body.Bytes(),
		})
	}
	c.puts = append(c.puts, put{"PUT", "/v2/" + repo + "/manifests/" + ref, a.Header().Get("Content-Type"), body})
	return digest.String()
}

// fill pushes content into an empty registry.
func (c content) fill(h http.Handler) {
	for _, p := range c.puts {
		request(h, p.method, p.path, p.mediaType, p.body)
	}
}
