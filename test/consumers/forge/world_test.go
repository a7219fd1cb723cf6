package forge

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// world is what the forger finds: two releases of a product, 1.0.1 (old) and 1.0.2 (new), signed by
// one key, and what operators make of them.
type world struct {
	dir     string
	slipway string
	host    string   // of the registry that both were released to
	key     string   // the maintainer's public key
	foreign string   // the private key of another user
	private string   // the maintainer's, which only some forgeries of statements may use
	all     *archive // of the new release, for all platforms
	old     *archive
	evil    *payload
	third   map[string]string // digests of third-party images, by repository:tag
}

// Paths below the directory of the world.
const (
	oldDir  = "1.0.1"
	newDir  = "1.0.2"
	bundle  = "hello-images.tar.zst"             // for all platforms
	linux   = "hello-images.linux-amd64.tar.zst" // what nodes load
	windows = "hello-images.windows-ltsc2022-amd64.tar.zst"
	volumes = "volumes"
	layout  = "layout"
	dockers = "hello.tar"
)

func (w *world) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

// hello is the name of an image in a release of that version.
func (w *world) hello(version string) string { return w.host + "/made/hello/hello:" + version }

func (w *world) other(version string) string { return w.host + "/made/hello/other:" + version }

// run runs slipway in the directory of the world, where it has to succeed.
func (w *world) run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := w.command(t, args...); err != nil {
		t.Fatalf("slipway %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// command runs slipway and returns all that it says.
func (w *world) command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), w.slipway, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "SLIPWAY_PASSWORD=secret", "DOCKER_CONFIG="+w.dir, "SLIPWAY_REGISTRY=",
		"SLIPWAY_VERSION=", "SOURCE_DATE_EPOCH=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// newWorld makes the releases by the slipway command.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir()}
	var err error
	if w.slipway, err = testprog.Slipway(t.Context(), w.dir); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registrytest.Handler())
	t.Cleanup(server.Close)
	w.host = strings.TrimPrefix(server.URL, "http://")
	w.third = seed(t, w.host)
	w.run(t, "keygen", "release")
	w.run(t, "keygen", "foreign")
	w.key, w.private, w.foreign = w.path("keys", "release.pub"), w.path("release.key"), w.path("foreign.key")
	move(t, w.path("release.pub"), w.key)
	move(t, w.path("foreign.pub"), w.path("keys", "foreign.pub"))
	if err := os.CopyFS(w.path("src"), os.DirFS("testdata/hello")); err != nil {
		t.Fatal(err)
	}
	w.edit(t, "slipway.yaml", "BASES", w.host)
	put(t, w.path("src/images.txt"), []byte(strings.Join(w.listed(), "\n")+"\n"))
	w.run(t, "pin", "bases", "-product=src/slipway.yaml")
	w.release(t, oldDir)
	w.edit(t, "slipway.yaml", "version: 1.0.1", "version: 1.0.2")
	w.edit(t, "slipway.yaml", "2025-01-01", "2025-02-02")
	w.edit(t, "files/hello.txt", "1.0.1", "1.0.2")
	w.release(t, newDir)
	w.run(t, "airgap", "pack", "-q", "-product=src/slipway.yaml", "-store=store", "-registry="+w.host+"/made",
		"-out="+newDir, "-base="+oldDir+"/"+bundle)
	move(t, w.path(newDir, bundle+".delta"), w.path("delta", bundle+".delta"))
	// The same by another user, who changed a file; the same version once more, at another time;
	// and another product, of the same maintainer.
	w.edit(t, "files/hello.txt", "hello", "evil")
	w.releaseBy(t, "foreign", w.foreign, "foreign")
	w.edit(t, "files/hello.txt", "evil", "again")
	w.edit(t, "slipway.yaml", "2025-02-02", "2025-03-03")
	w.releaseBy(t, "again", w.private, "again")
	w.edit(t, "slipway.yaml", "\nname: hello\n", "\nname: hello2\n")
	w.releaseBy(t, "hello2", w.private, "hello2")
	w.plain(t)
	w.run(t, "airgap", "split", newDir+"/"+bundle, "-max-size=50kB", "-out="+volumes)
	w.run(t, "airgap", "split", oldDir+"/"+bundle, "-max-size=50kB", "-out=old-"+volumes)
	for from, to := range map[string]string{oldDir: "old-", newDir: ""} {
		w.run(t, "airgap", "extract", from+"/"+bundle, w.hello(from), "-o="+to+layout)
		w.run(t, "airgap", "extract", from+"/"+bundle, w.hello(from), "-o="+to+dockers,
			"-platforms=linux/amd64")
	}
	w.evil = newPayload(t)
	w.all, w.old = readArchive(t, w, w.path(newDir, bundle)), readArchive(t, w, w.path(oldDir, bundle))
	return w
}

func (w *world) release(t *testing.T, out string) {
	t.Helper()
	w.releaseBy(t, out, w.private, "made")
}

// plain releases two versions of a product that has no manifests, so that nothing but the statement
// itself ties its checksums to it.
func (w *world) plain(t *testing.T) {
	t.Helper()
	text := string(get(t, w.path("src/slipway.yaml")))
	w.edit(t, "slipway.yaml", "release:"+between(text, "\nrelease:", "\nairgap:"), "")
	w.edit(t, "slipway.yaml", "\nname: hello2\n", "\nname: plain\n")
	for _, version := range []string{newDir, oldDir} {
		w.releaseBy(t, "plain-"+version, w.private, "plain")
		if version == newDir {
			w.edit(t, "slipway.yaml", "version: "+newDir, "version: "+oldDir)
			w.edit(t, "files/hello.txt", "again", "once more")
		}
	}
}

// releaseBy releases with a key to a path of the registry.
func (w *world) releaseBy(t *testing.T, out, key, to string) {
	t.Helper()
	w.run(t, "release", "-q", "-binary=false", "-product=src/slipway.yaml", "-store=store", "-registry="+w.host+"/"+to,
		"-sign="+key, "-out="+out)
}

func (w *world) edit(t *testing.T, file, from, to string) {
	t.Helper()
	text := get(t, w.path("src", file))
	if !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%s has no %q", file, from)
	}
	put(t, w.path("src", file), bytes.ReplaceAll(text, []byte(from), []byte(to)))
}

// listed are the third-party images as the list of the release names them: by tag alone, by digest
// alone, by both, and two of one repository.
func (w *world) listed() []string {
	return []string{
		w.host + "/third/pause:1",
		w.host + "/third/alone@" + w.third["third/alone:1"],
		w.host + "/third/both:1@" + w.third["third/both:1"],
		w.host + "/third/two:1",
		w.host + "/third/two@" + w.third["third/two:0"],
	}
}

// seed pushes the base image for Windows and third-party images, and returns their digests.
func seed(t *testing.T, host string) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for _, i := range []struct{ repository, os, version, file string }{
		{"windows/nanoserver:ltsc2022", "windows", "10.0.20348.4711", "Files/Windows/a.dll"},
		{"third/pause:1", "linux", "", "pause"},
		{"third/alone:1", "linux", "", "alone"},
		{"third/both:1", "linux", "", "both"},
		{"third/two:1", "linux", "", "two"},
		{"third/two:0", "linux", "", "two-of-old"},
	} {
		ref, err := name.NewTag(host + "/" + i.repository)
		if err != nil {
			t.Fatal(err)
		}
		text := tarOf(t, i.file, i.os)
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(text)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		img, err := mutate.AppendLayers(empty.Image, layer)
		if err != nil {
			t.Fatal(err)
		}
		cf, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture, cf.OSVersion = i.os, "amd64", i.version
		if img, err = mutate.ConfigFile(img, cf); err != nil {
			t.Fatal(err)
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
			t.Fatal(err)
		}
		h, err := idx.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests[i.repository] = h.String()
	}
	return digests
}

// tarOf is an archive of one file.
func tarOf(t *testing.T, file, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	tw := tar.NewWriter(&b)
	if err := tw.WriteHeader(&tar.Header{
		Name: file, Mode: 0o644, Size: int64(len(text)),
		Typeflag: tar.TypeReg,
	}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(tw, text)
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
