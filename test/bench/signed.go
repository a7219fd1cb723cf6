package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/product"
)

// baseBytes is the size of the only layer of a replaced base of Microsoft, in bytes. The real one
// has some 120 MB, which would only make the share of evidence smaller.
const baseBytes = 4 << 20

// windowsBase is a base of Microsoft that a registry on loopback replaces: without one, no image
// for Windows can be signed on a machine that does not reach Microsoft's registry.
type windowsBase struct{ tag, version string }

var windowsBases = []windowsBase{
	{"ltsc2019", "10.0.17763.8389"},
	{"ltsc2022", "10.0.20348.3207"},
	{"ltsc2025", "10.0.26100.4349"},
}

// serveBases serves images for all Windows releases as HOST/windows/nanoserver:TAG, and returns
// their references with digests, by tag.
func serveBases(ctx context.Context) (references map[string]string, stop func(), err error) {
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	references = map[string]string{}
	for _, b := range windowsBases {
		ref, err := pushBase(ctx, strings.TrimPrefix(s.URL, "http://"), b)
		if err != nil {
			s.Close()
			return nil, nil, err
		}
		references[b.tag] = ref
	}
	return references, s.Close, nil
}

func pushBase(ctx context.Context, host string, b windowsBase) (reference string, err error) {
	layer, err := random.Layer(baseBytes, types.DockerLayer)
	if err != nil {
		return "", err
	}
	img, err := mutate.ConfigFile(mutate.MediaType(empty.Image, types.DockerManifestSchema2),
		&v1.ConfigFile{OS: "windows", Architecture: "amd64", OSVersion: b.version, RootFS: v1.RootFS{Type: "layers"}})
	if err != nil {
		return "", err
	}
	if img, err = mutate.AppendLayers(img, layer); err != nil {
		return "", err
	}
	digest, err := img.Digest()
	if err != nil {
		return "", err
	}
	tag, err := name.NewTag(host + "/windows/nanoserver:" + b.tag)
	if err != nil {
		return "", err
	}
	return tag.Name() + "@" + digest.String(), remote.Write(tag, img, remote.WithContext(ctx))
}

// signables calls f with hello and kpack as products that can be signed.
func (b *bench) signables(ctx context.Context, f func(map[string]*signable) error) error {
	references, stop, err := serveBases(ctx)
	if err != nil {
		return err
	}
	defer stop()
	p, err := product.Load(ctx, product.Options{Path: b.product})
	if err != nil {
		return err
	}
	products := map[string]*signable{}
	if products["hello"], err = b.signable("hello-product", filepath.FromSlash("examples/hello"),
		references, "."); err != nil {
		return err
	}
	if products["kpack"], err = b.signable("kpack-product", p.Dir, references, "dockerfiles", "overlays"); err != nil {
		return err
	}
	if err := b.programsOnly(ctx, "programs"); err != nil {
		return err
	}
	return f(products)
}

// signable copies the product in dir to a directory of its own, with the bases that references name
// in place of Microsoft's and without images of third parties, and makes a key in its directory
// keys.
func (b *bench) signable(name, dir string, references map[string]string, files ...string) (*signable, error) {
	dest, err := os.MkdirTemp(b.tmp, name+"-") // parts share b.tmp
	if err != nil {
		return nil, err
	}
	s := &signable{dir: dest}
	s.product, s.key, s.public = filepath.Join(s.dir, product.File), filepath.Join(s.dir, "keys", "release.key"),
		filepath.Join(s.dir, "keys", "release.pub")
	for _, f := range files {
		if err := os.CopyFS(filepath.Join(s.dir, f), os.DirFS(filepath.Join(dir, f))); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, product.File))
	if err != nil {
		return nil, err
	}
	var images strings.Builder
	for _, base := range windowsBases {
		fmt.Fprintf(&images, "      windows/amd64:%s: %s\n", base.tag, references[base.tag])
	}
	changed := regexp.MustCompile(`(?m)^    microsoft: nanoserver\n`).ReplaceAllLiteral(text,
		[]byte("    images:\n"+images.String()))
	changed = regexp.MustCompile(
		`(?m)^ {6}windows/amd64:ltsc2019: mcr\.microsoft\.com/.*\n {6}windows.*\n {6}windows.*\n`).ReplaceAllLiteral(
		changed, []byte(images.String()))
	if !strings.Contains(string(changed), references[windowsBases[0].tag]) {
		return nil, fmt.Errorf("%s has no bases of Microsoft", filepath.Join(dir, product.File))
	}
	changed = regexp.MustCompile(`(?m)^airgap:\n  images: images.txt\n`).ReplaceAllLiteral(changed, nil)
	private, public, err := signature.Generate([]byte(benchPassword))
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Dir(s.key), 0o700); err != nil {
		return nil, err
	}
	for path, data := range map[string][]byte{s.product: changed, s.key: private, s.public: public} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// signable is a product that can be signed.
type signable struct{ dir, product, key, public string }

const benchPassword = "benchmark"
