package examples

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"debug/pe"
	"errors"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/platform"
)

// registryHost serves an empty registry.
func registryHost(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithReferrersSupport(true)))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// push puts an image of one layer into a registry, an index over the platforms, and returns its
// pinned reference. Files of Windows images lie under Files/, as there.
func push(t *testing.T, tag string, platforms []string, files map[string]string) string {
	t.Helper()
	ref, err := name.NewTag(tag)
	must(t, err)
	idx := v1.ImageIndex(empty.Index)
	for _, s := range platforms {
		p, err := platform.Parse(s)
		must(t, err)
		img, err := mutate.AppendLayers(empty.Image, filesLayer(t, p, files))
		must(t, err)
		cf, err := img.ConfigFile()
		must(t, err)
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture, cf.OSVersion = p.OS, p.Architecture, p.OSVersion
		img, err = mutate.ConfigFile(img, cf)
		must(t, err)
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p.V1()}})
	}
	must(t, remote.WriteIndex(ref, idx))
	d, err := idx.Digest()
	must(t, err)
	return tag + "@" + d.String()
}

func filesLayer(t *testing.T, p platform.Platform, files map[string]string) v1.Layer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, n := range slices.Sorted(maps.Keys(files)) {
		full := strings.TrimPrefix(n, "/")
		if p.OS == platform.Windows {
			full = "Files/" + full
		}
		must(t, w.WriteHeader(&tar.Header{Name: full, Mode: 0o755, Size: int64(len(files[n])), Typeflag: tar.TypeReg}))
		_, err := io.WriteString(w, files[n])
		must(t, err)
	}
	must(t, w.Close())
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	})
	must(t, err)
	return l
}

// filesOf returns the files of an image by path, whatever its system: upper layers hide lower ones.
func filesOf(t *testing.T, img v1.Image) map[string][]byte {
	t.Helper()
	cf, err := img.ConfigFile()
	must(t, err)
	layers, err := img.Layers()
	must(t, err)
	all := map[string][]byte{}
	for _, l := range layers {
		for name, content := range filesIn(t, l) {
			if cf.OS == platform.Windows {
				name = strings.TrimPrefix(name, "/Files")
			}
			all[name] = content
		}
	}
	return all
}

// read are layers whose files are known, by digest: most images of a release share theirs.
var read = map[v1.Hash]map[string][]byte{}

func filesIn(t *testing.T, l v1.Layer) map[string][]byte {
	t.Helper()
	digest, err := l.Digest()
	must(t, err)
	if files, ok := read[digest]; ok {
		return files
	}
	r, err := l.Uncompressed()
	must(t, err)
	defer r.Close()
	files := map[string][]byte{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			read[digest] = files
			return files
		}
		must(t, err)
		if h.Typeflag == tar.TypeReg {
			files[path.Clean("/"+h.Name)], err = io.ReadAll(tr)
			must(t, err)
		}
	}
}

// machine says what a program is for: "windows/amd64", "linux/arm64"; it is "" for what is not a
// program.
func machine(b []byte) string {
	if f, err := pe.NewFile(bytes.NewReader(b)); err == nil {
		return map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "windows/amd64"}[f.Machine]
	}
	if f, err := elf.NewFile(bytes.NewReader(b)); err == nil {
		return map[elf.Machine]string{elf.EM_X86_64: "linux/amd64", elf.EM_AARCH64: "linux/arm64"}[f.Machine]
	}
	return ""
}
