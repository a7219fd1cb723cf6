package docs

import (
	"archive/tar"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/compression"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/test/cluster/node"
)

// pushSlipway pushes the image of slipway: the program with this machine's Go, which finds the
// hosts of the test.
func (m *machine) pushSlipway(t *testing.T, ref string) {
	t.Helper()
	goroot := goEnv(t, "GOROOT")
	archive := filepath.Join(m.dir, "slipway.tar")
	f, err := os.Create(archive)
	must(t, err)
	w := tar.NewWriter(f)
	add := func(from, to string) {
		fi, err := os.Stat(from)
		must(t, err)
		must(t,
			w.WriteHeader(&tar.Header{
				Name: strings.TrimPrefix(to, "/"), Mode: int64(fi.Mode().Perm()),
				Size: fi.Size(),
			}))
		in, err := os.Open(from)
		must(t, err)
		defer in.Close()
		_, err = io.Copy(w, in)
		must(t, err)
	}
	m.file(t, "image/hosts", m.table())
	m.file(t, "image/authority", string(m.authority))
	add(filepath.Join(m.dir, "image/hosts"), "/etc/hosts")
	add(filepath.Join(m.dir, "image/authority"), "/etc/ssl/certs/ca-certificates.crt")
	add(slipway(t), "/usr/local/bin/slipway")
	must(t, node.WalkToolchain(goroot, func(p string) { add(p, p) }))
	must(t, w.Close())
	must(t, f.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return os.Open(archive) },
		tarball.WithCompression(compression.ZStd), tarball.WithMediaType(types.OCILayerZStd))
	must(t, err)
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{
		User: "65532:65532", Entrypoint: []string{"/usr/local/bin/slipway"},
		Env: []string{"PATH=" + goroot + "/bin:/usr/local/bin"},
	}})
	must(t, err)
	img, err = mutate.AppendLayers(img, layer)
	must(t, err)
	tag, err := name.NewTag(ref)
	must(t, err)
	must(t, remote.Write(tag, img, remote.WithTransport(m.net)))
}
