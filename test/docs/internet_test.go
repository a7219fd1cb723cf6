package docs

import (
	"archive/tar"
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// internet gives the hosts what is there in the world: the modules that this machine has, and base
// images.
func (m *machine) internet(t *testing.T) {
	t.Helper()
	m.hosts["proxy.golang.org"] = proxy(filepath.Join(m.dir, "proxy"),
		filepath.Join(goEnv(t, "GOMODCACHE"), "cache/download"))
	m.hosts["github.com"] = http.FileServer(http.Dir(filepath.Join(m.dir, "github")))
	for ref, platforms := range images {
		m.push(t, ref, platforms, netapi32)
	}
}

// netapi32 is the DLL that images take from servercore.
const netapi32 = "Files/Windows/System32/netapi32.dll"

// images are those that products are based on. The files of an image state their own names.
var images = map[string][]v1.Platform{
	"cgr.dev/chainguard/static:latest":              {linux, {OS: "linux", Architecture: "arm64"}},
	"gcr.io/distroless/static:latest":               {linux},
	"mcr.microsoft.com/windows/servercore:ltsc2019": {windows("10.0.17763.8027")},
	"mcr.microsoft.com/windows/servercore:ltsc2022": {windows("10.0.20348.4405")},
	"mcr.microsoft.com/windows/nanoserver:ltsc2019": {windows("10.0.17763.8027")},
	"mcr.microsoft.com/windows/nanoserver:ltsc2022": {windows("10.0.20348.4405")},
	"mcr.microsoft.com/windows/nanoserver:ltsc2025": {windows("10.0.26100.7171")},
	"registry.k8s.io/pause:3.10": {
		linux, windows("10.0.17763.8027"), windows("10.0.20348.4405"),
		windows("10.0.26100.7171"),
	},
}

var linux = v1.Platform{OS: "linux", Architecture: "amd64"}

func windows(version string) v1.Platform {
	return v1.Platform{OS: "windows", Architecture: "amd64", OSVersion: version}
}

// push pushes an index of images with a layer each, which has files.
func (m *machine) push(t *testing.T, ref string, platforms []v1.Platform, files ...string) {
	t.Helper()
	tag, err := name.NewTag(ref)
	must(t, err)
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		layer := layerOf(t, ref+p.String(), files)
		img, err := mutate.ConfigFile(empty.Image,
			&v1.ConfigFile{OS: p.OS, Architecture: p.Architecture, OSVersion: p.OSVersion})
		must(t, err)
		img, err = mutate.AppendLayers(img, layer)
		must(t, err)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &p}})
	}
	must(t, remote.WriteIndex(tag, index, remote.WithTransport(m.net)))
}

// layerOf makes a layer with files, which have a text.
func layerOf(t *testing.T, text string, files []string) v1.Layer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		must(t, w.WriteHeader(&tar.Header{Name: f, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(text))
		must(t, err)
	}
	must(t, w.Close())
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	})
	must(t, err)
	return l
}
