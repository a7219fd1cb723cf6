package base_test

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// TestFetch fetches bases from a registry. From an index it must take the
// right child, byte for byte.
func TestFetch(t *testing.T) {
	host := serve(t)
	images := map[string]v1.Image{}
	for _, s := range []string{
		"linux/amd64", "linux/arm64/v8", "windows/amd64:10.0.17763.8389",
		"windows/amd64:10.0.20348.4773",
	} {
		images[s] = image(t, parse(t, s))
	}
	native := image(t, parse(t, "linux/amd64"))              // for hosts with a feature: of the index alone, as apko has it
	images["linux/arm/v7"] = image(t, parse(t, "linux/arm")) // the variant is in the index alone
	attestation := image(t, platform.Platform{OS: "unknown", Architecture: "unknown"})
	var idx v1.ImageIndex = empty.Index
	for _, add := range []mutate.IndexAddendum{
		{Add: attestation, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"}}},
		{Add: image(t, platform.Platform{})},
		{
			Add:        native,
			Descriptor: v1.Descriptor{Platform: parse(t, "linux(+erofs)/amd64").V1()},
		},
		{Add: images["linux/arm64/v8"], Descriptor: v1.Descriptor{Platform: platformOf(t, images["linux/arm64/v8"])}},
		{
			Add:        images["windows/amd64:10.0.20348.4773"],
			Descriptor: v1.Descriptor{Platform: platformOf(t, images["windows/amd64:10.0.20348.4773"])},
		},
		{
			Add:        images["linux/arm/v7"],
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "arm", Variant: "v7"}},
		},
		{Add: images["linux/amd64"], Descriptor: v1.Descriptor{Platform: platformOf(t, images["linux/amd64"])}},
		{
			Add:        images["windows/amd64:10.0.17763.8389"],
			Descriptor: v1.Descriptor{Platform: platformOf(t, images["windows/amd64:10.0.17763.8389"])},
		},
	} {
		idx = mutate.AppendManifests(idx, add)
	}
	index := pushIndex(t, host+"/index:1", idx)
	single := push(t, host+"/single:1", images["linux/amd64"])

	for _, tc := range []struct{ ref, on, want string }{
		{index, "linux/amd64", "linux/amd64"},
		{index, "linux/arm64", "linux/arm64/v8"},
		{index, "linux/arm/v7", "linux/arm/v7"},
		{index, "windows/amd64:ltsc2019", "windows/amd64:10.0.17763.8389"},
		{index, "windows/amd64:ltsc2022", "windows/amd64:10.0.20348.4773"},
		{index, "windows/amd64:10.0.20348.1", "windows/amd64:10.0.20348.4773"},
		{single, "linux/amd64", "linux/amd64"},
	} {
		t.Run(path.Base(tc.ref)[:6]+" "+tc.on, func(t *testing.T) {
			b := resolve(t, &product.Product{Path: "slipway.yaml", Registry: host}, tc.ref, tc.on)
			want := images[tc.want]
			if b.Platform.String() != tc.want || digest(t, b.Image) != digest(t, want) {
				t.Errorf("the base is %s %s, want %s %s", b.Platform.String(), digest(t, b.Image),
					tc.want, digest(t, want))
			}
			if b.Info.Name != tc.ref || b.Info.Digest != digest(t, want) || b.Info.Stub {
				t.Errorf("the lock has %+v", b.Info)
			}
			same(t, b.Image, want)
		})
	}
}

func TestFetchErrors(t *testing.T) {
	host := serve(t)
	linux := image(t, parse(t, "linux/amd64"))
	noVersion := push(t, host+"/none:1", image(t, platform.Platform{OS: "windows", Architecture: "amd64"}))
	threeParts := push(t, host+"/three:1", image(t, parse(t, "windows/amd64:10.0.20348")))
	wrong := push(t, host+"/linux:1", linux)
	index := pushIndex(t, host+"/index:1", mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: linux, Descriptor: v1.Descriptor{Platform: platformOf(t, linux)},
	}))
	liar := pushIndex(t, host+"/liar:1", mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: linux, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "arm64"}},
	}))
	native := pushIndex(t, host+"/native:1", mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: linux, Descriptor: v1.Descriptor{Platform: parse(t, "linux(+erofs)/amd64").V1()},
	}))
	r := base.Resolver{File: "slipway.yaml", Store: storetest.Open(t), Client: client}
	for _, tc := range []struct {
		name, ref, on string
		says          []string
	}{
		{"no os.version", noVersion, "windows/amd64:ltsc2022", []string{`os.version ""`, "four parts"}},
		{
			"an os.version of three parts", threeParts, "windows/amd64:ltsc2022",
			[]string{`os.version "10.0.20348"`, "four parts"},
		},
		{
			"not pinned", host + "/linux:1", "linux/amd64",
			[]string{host + "/linux:1 is not pinned", "run slipway pin bases"},
		},
		{"another system", wrong, "linux/arm64", []string{"is an image for linux/amd64", "name the right one"}},
		{
			"not in the index", index, "windows/amd64:ltsc2022",
			[]string{"no image for this platform, only for linux/amd64"},
		},
		{"only for hosts with a feature", native, "linux/amd64", []string{"for this platform, only for linux(+erofs)/amd64"}},
		{"an index that lies", liar, "linux/arm64", []string{"is an image for linux/amd64"}},
		{
			"not there", host + "/gone@sha256:" + strings.Repeat("0", 64), "linux/amd64",
			[]string{"fetching " + host + "/gone", "NAME_UNKNOWN"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := r.Resolve(t.Context(), tc.ref, parse(t, tc.on))
			if err == nil {
				t.Fatal("it is found")
			}
			for _, s := range append(tc.says, "base "+tc.ref+" for "+tc.on) {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the error %q does not say %q", err, s)
				}
			}
		})
	}
}

// TestFetchedOnce checks that a base shared by many images is fetched once.
func TestFetchedOnce(t *testing.T) {
	host := serve(t)
	ref := push(t, host+"/base:1", image(t, parse(t, "linux/amd64")))
	r := base.Resolver{File: "slipway.yaml", Store: storetest.Open(t), Client: client}
	first, err := r.Resolve(t.Context(), ref, parse(t, "linux/amd64"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Resolve(t.Context(), ref, parse(t, "linux/amd64"))
	if err != nil || again.Image != first.Image {
		t.Errorf("the second time %v (%v), the first %v", again.Image, err, first.Image)
	}
}

// client is the HTTP client of the resolvers in these tests.
var client = network.New(network.Options{Wait: time.Microsecond})

// serve runs a registry and returns its host.
func serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registrytest.Handler())
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func image(t *testing.T, p platform.Platform) v1.Image {
	t.Helper()
	i, err := random.Image(2000, 3)
	if err != nil {
		t.Fatal(err)
	}
	cf, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.Variant, cf.OSVersion = p.OS, p.Architecture, p.Variant, p.OSVersion
	if i, err = mutate.ConfigFile(i, cf); err != nil {
		t.Fatal(err)
	}
	return mutate.MediaType(i, types.DockerManifestSchema2)
}

func platformOf(t *testing.T, i v1.Image) *v1.Platform {
	t.Helper()
	cf, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return cf.Platform()
}

// push pushes an image and returns its pinned reference, tag@sha256:….
func push(t *testing.T, tag string, i v1.Image) string {
	t.Helper()
	if err := remote.Write(reference(t, tag), i); err != nil {
		t.Fatal(err)
	}
	return tag + "@" + digest(t, i).String()
}

func pushIndex(t *testing.T, tag string, i v1.ImageIndex) string {
	t.Helper()
	if err := remote.WriteIndex(reference(t, tag), i); err != nil {
		t.Fatal(err)
	}
	h, err := i.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return tag + "@" + h.String()
}

func reference(t *testing.T, s string) name.Reference {
	t.Helper()
	r, err := name.ParseReference(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same checks that manifest, configuration and layers are identical.
func same(t *testing.T, got, want v1.Image) {
	t.Helper()
	for what, read := range map[string]func(v1.Image) ([]byte, error){
		"manifest": v1.Image.RawManifest, "configuration": v1.Image.RawConfigFile,
		"layers": func(i v1.Image) ([]byte, error) {
			layers, err := i.Layers()
			if err != nil {
				return nil, err
			}
			var all []byte
			for _, l := range layers {
				r, err := l.Compressed()
				if err != nil {
					return nil, err
				}
				b, err := io.ReadAll(r)
				if err != nil {
					return nil, err
				}
				all = append(all, b...)
			}
			return all, nil
		},
	} {
		g, err := read(got)
		if err != nil {
			t.Fatal(err)
		}
		w, err := read(want)
		if err != nil {
			t.Fatal(err)
		}
		if string(g) != string(w) {
			t.Errorf("the %s has changed", what)
		}
	}
}

func TestMain(m *testing.M) {
	// The tests must not use the credentials of the user who runs them.
	dir, err := os.MkdirTemp("", "docker-config")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Setenv("DOCKER_CONFIG", dir); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
