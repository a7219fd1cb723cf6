package consumers

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// made is the demo, which all tests share.
var made struct {
	once    sync.Once
	dir     string
	release release
}

// cutDemo returns the release of storetest, with one image more that can run, in a directory like
// dist/. It is signed: its bundles include the provenance, SBOM and signature of every index and
// manifest, which no consumer may refuse or take for an image.
func cutDemo(t *testing.T) release {
	t.Helper()
	made.once.Do(func() {
		dir, err := os.MkdirTemp("", "slipway-demo-")
		if err != nil {
			t.Fatal(err)
		}
		made.dir = dir
		made.release = makeDemo(t, dir)
	})
	if made.release.lock == nil {
		t.Fatal("the demo could not be made; the test that made it says why")
	}
	return made.release
}

func makeDemo(t *testing.T, dir string) release {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := storetest.Release(t, st, 100_000)
	l.Images = append(l.Images,
		storetest.Index(t, st, "hello", storetest.Child{
			Platform: parse(t, "linux/amd64"),
			Layers:   []v1.Layer{program(t, "hello", `func main() { println("hello from the demo") }`)},
		}))
	last := &l.Images[len(l.Images)-1]
	last.Referrers = []oci.Referrer{sbom(t, st, *last)}
	l.Registry = "slipway.local"
	var bundles []airgap.Target
	for i := range l.Images {
		l.Images[i].Repository, l.Images[i].Tags = "slipway.local/demo/"+l.Images[i].Name, []string{l.Version}
	}
	for _, s := range []string{
		"linux/amd64", "linux/arm64", "windows/amd64:ltsc2019", "windows/amd64:ltsc2022",
		"windows/amd64:ltsc2025",
	} {
		p := parse(t, s)
		bundles = append(bundles, airgap.Target{Name: "demo-images." + p.Slug(), Platform: p})
	}
	// The reference comes last in the list, by tag and digest, under Docker Hub's short form. It
	// is what testprog.SandboxImage names. Nodes of amd64 could run 386, too, and Windows Server
	// 2025 two builds, of which none is its own.
	systems := []string{"linux/amd64", "linux/386", "windows/amd64:10.0.25398.6", "windows/amd64:10.0.20348.5"}
	var children []storetest.Child
	for _, s := range systems {
		c := storetest.Child{Platform: parse(t, s)}
		switch {
		case s == "linux/amd64":
			c.Layers = []v1.Layer{program(t, "pause", pause)}
		case c.Platform.OS == platform.Windows:
			c.Layers = []v1.Layer{storetest.Layer(t, "Files/pause.exe", s, 1000)}
		default:
			c.Layers = []v1.Layer{storetest.Layer(t, "pause", s, 1000)}
		}
		children = append(children, c)
	}
	third := storetest.Index(t, st, "pause", children...)
	l.ThirdParty = []lock.ThirdParty{{
		Reference: "pause:3.9@" + third.Digest.String(), MediaType: third.MediaType, Digest: third.Digest,
		Size: third.Size,
	}}
	for _, c := range children {
		l.ThirdParty[0].Platforms = append(l.ThirdParty[0].Platforms, c.Platform)
	}
	storetest.AddChart(t, st, l, "slipway.local/demo/charts/demo", l.Version) // in the bundle of all platforms
	bundles = append(bundles, airgap.Target{Name: "demo-images"})
	key := bundletest.FixedKey(t) // equal digests make equal orders, and errors
	bundletest.Prove(t, st, l, key)
	files, _, err := airgap.Pack(t.Context(), st, l, bundles, airgap.PackOptions{Dir: dir, Gzip: true})
	if err != nil {
		t.Fatal(err)
	}
	finish(t, dir, l, key, bundles, files)
	return release{
		name: "storetest", dir: dir, lock: l,
		runs: []run{{"hello", []string{"/hello"}, "hello from the demo"}}, demo: true,
	}
}

// sbom puts an SBOM into the store as a referrer of an image, in the form of other tools: it is a
// layer of its own type, and the configuration has that type, too.
func sbom(t *testing.T, st *store.Store, i lock.Image) oci.Referrer {
	t.Helper()
	const kind = "application/spdx+json"
	img, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		static.NewLayer([]byte(`{"spdxVersion":"SPDX-2.3"}`), kind))
	if err != nil {
		t.Fatal(err)
	}
	img = mutate.Subject(mutate.ConfigMediaType(img, kind),
		v1.Descriptor{MediaType: i.MediaType, Digest: i.Digest, Size: i.Size}).(v1.Image)
	d := storetest.Put(t, st, img)
	return oci.Referrer{ArtifactType: kind, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size}
}

// pause replaces the program of a pod's sandbox: it waits for a signal.
const pause = `import ("os"; "os/signal"; "syscall")

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT)
	<-c
}`

// program is an uncompressed layer with a static program; what is not compressed is packed in
// another way.
func program(t *testing.T, name, text string) v1.Layer {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, name+".go")
	if err := os.WriteFile(src, []byte("package main\n\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, src)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{
		Name: name, Mode: 0o755, Size: int64(len(data)),
		Typeflag: tar.TypeReg,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return static.NewLayer(b.Bytes(), types.OCIUncompressedLayer)
}

func parse(t *testing.T, s string) platform.Platform {
	t.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
