package docs

import (
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// internet gives the hosts what is there in the world: the modules that this machine has, and base
// images.
func (m *machine) internet(t *testing.T) {
	t.Helper()
	m.hosts["proxy.golang.org"] = proxy(filepath.Join(m.dir, "proxy"), filepath.Join(goEnv(t, "GOMODCACHE"), "cache/download"))
	m.hosts["github.com"] = http.FileServer(http.Dir(filepath.Join(m.dir, "github")))
	for ref, platforms := range images {
		m.push(t, ref, platforms)
	}
}

var images = map[string][]v1.Platform{
	"mcr.microsoft.com/windows/nanoserver:ltsc2019": {windows("10.0.17763.8027")},
	"mcr.microsoft.com/windows/nanoserver:ltsc2022": {windows("10.0.20348.4405")},
	"mcr.microsoft.com/windows/nanoserver:ltsc2025": {windows("10.0.26100.7171")},
	"registry.k8s.io/pause:3.10":                    {linux, windows("10.0.17763.8027"), windows("10.0.20348.4405"), windows("10.0.26100.7171")},
}

var linux = v1.Platform{OS: "linux", Architecture: "amd64"}

func windows(version string) v1.Platform {
	return v1.Platform{OS: "windows", Architecture: "amd64", OSVersion: version}
}

// push pushes an index of images with a layer each.
func (m *machine) push(t *testing.T, ref string, platforms []v1.Platform) {
	t.Helper()
	tag, err := name.NewTag(ref)
	must(t, err)
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		layer, err := random.Layer(1000, types.OCILayer)
		must(t, err)
		img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: p.OS, Architecture: p.Architecture, OSVersion: p.OSVersion})
		must(t, err)
		img, err = mutate.AppendLayers(img, layer)
		must(t, err)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &p}})
	}
	must(t, remote.WriteIndex(tag, index, remote.WithTransport(m.net)))
}

// proxy answers as a Go module proxy does of the first of some directories that has a file. A
// cache of modules may lack the time of a version.
func proxy(dirs ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		for _, dir := range dirs {
			file := filepath.Join(dir, filepath.FromSlash(path.Clean(q.URL.Path)))
			if _, err := os.Stat(file); err == nil {
				http.ServeFile(w, q, file)
				return
			}
			version, ok := strings.CutSuffix(file, ".info")
			if _, err := os.Stat(version + ".mod"); ok && err == nil {
				json.NewEncoder(w).Encode(map[string]string{"Version": filepath.Base(version)}) //nolint:errcheck,errchkjson // a test's answer
				return
			}
		}
		http.NotFound(w, q)
	})
}
