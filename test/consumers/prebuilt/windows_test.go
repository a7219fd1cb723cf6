package prebuilt

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/opencontainers/image-spec/identity"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// releasedWindows is a release of what each maker has made for Windows.
type releasedWindows struct {
	released

	made map[string]madeWindows
}

// TestWindows releases the images that programs make for Windows, with halves for Linux of the same
// program or of Slipway.
func TestWindows(t *testing.T) {
	r := &releasedWindows{released{world: newWorld(t), made: map[string]made{}}, map[string]madeWindows{}}
	r.addWindows(t)
	for _, m := range windowsMakers {
		t.Run("made by "+m.name, func(t *testing.T) {
			testprog.Need(t, m.consumer)
			dir := filepath.Join(r.dir, m.name)
			must(t, os.MkdirAll(dir, 0o755))
			one := m.make(t, r.world, dir)
			r.made[m.name] = one
			r.released.made[m.name] = made{manifest: one.attests, attested: one.attests != ""}
		})
	}
	if t.Failed() || len(r.made) == 0 {
		return
	}
	r.release(t)
	t.Run("digests", r.digests)
	t.Run("evidence", r.evidence)
	t.Run("programs", r.programs)
	t.Run("hosts", r.hosts)
	t.Run("containerd", r.containerd)
}

// release releases all images, and pushes the bundle to another registry.
func (r *releasedWindows) release(t *testing.T) {
	t.Helper()
	var err error
	r.slipway, err = testprog.Slipway(t.Context(), t.TempDir())
	must(t, err)
	var images strings.Builder
	for image, m := range r.made {
		var on []string
		for version := range m.digests {
			if version != "" {
				on = append(on, "windows/amd64:"+releaseOf[version])
			}
		}
		prebuilt, linux := fmt.Sprintf("windows: %q", m.windows), "dockerfile: {file: Dockerfile, context: files}"
		if m.linux != "" {
			prebuilt, linux = prebuilt+fmt.Sprintf(", linux: %q", m.linux), ""
		}
		fmt.Fprintf(&images, "  - name: %s\n    source: here\n    platforms: [linux/amd64, %q]\n    prebuilt: {%s}\n    %s\n",
			image, strings.Join(on, `", "`), prebuilt, linux)
	}
	dir := filepath.Join(r.dir, "product")
	write(t, filepath.Join(dir, "Dockerfile"), "FROM scratch\nCOPY text /text\n")
	write(t, filepath.Join(dir, "files", "text"), "text")
	write(t, filepath.Join(dir, "slipway.yaml"), `apiVersion: slipway/v1
name: prebuilt
version: 1.0.0
platforms: [linux/amd64, "windows/amd64:ltsc2022", "windows/amd64:ltsc2025"]
sources:
  - {name: here, directory: files, revision: abc, created: 2024-01-01T00:00:00Z}
images:
`+strings.ReplaceAll(images.String(), `\", \"`, `", "`))
	r.in(t, dir, nil, r.slipway, "release", "-q", "-binary=false", "-registry="+r.registry)
	r.mirror = serve(t)
	r.in(t, dir, nil, r.slipway, "airgap", "push", "-q", filepath.Join("dist", "prebuilt-images.tar.zst"), "-to="+r.mirror)
}

// digests: the index lists what the program printed, with the os.version of its configuration, and
// nothing else for Windows.
func (r *releasedWindows) digests(t *testing.T) {
	for image, m := range r.made {
		for _, registry := range []string{r.registry, r.mirror} {
			repo, err := name.NewRepository(registry + "/prebuilt/" + image)
			must(t, err)
			found := 0
			for _, d := range r.index(t, registry, image).Manifests {
				img, err := remote.Image(repo.Digest(d.Digest.String()))
				must(t, err)
				cf, err := img.ConfigFile()
				must(t, err)
				if d.Platform.OS != cf.OS || d.Platform.OSVersion != cf.OSVersion {
					t.Errorf("%s: the index has %s, and the configuration %s %s", image, d.Platform, cf.OS, cf.OSVersion)
				}
				if cf.OS == "linux" && m.linux == "" {
					continue // of Slipway
				}
				if found++; m.digests[cf.OSVersion] != d.Digest.String() {
					t.Errorf("%s: the manifest for %s is %s, and the builder printed %q", image, d.Platform, d.Digest, m.digests)
				}
			}
			if found != len(m.digests) {
				t.Errorf("%s has %d of the images %q", image, found, m.digests)
			}
		}
	}
}

// programs: the SBOM of each image has the program for Windows, and its module.
func (r *releasedWindows) programs(t *testing.T) {
	for image := range r.made {
		sbom := read(t, filepath.Join(r.dir, "product", "dist", "sbom", image+".spdx.json"))
		if !strings.Contains(sbom, "PE for windows/amd64") || !strings.Contains(sbom, `"example.com/app"`) {
			t.Errorf("the SBOM of %s lacks the program", image)
		}
	}
}

// hosts: the image that containerd takes on a Windows node is the newest that it can run, which is
// the first of those in the index.
func (r *releasedWindows) hosts(t *testing.T) {
	for image := range r.made {
		for host, want := range r.wanted(image) {
			match := platforms.NewMatcher(ocispec.Platform{OS: "windows", Architecture: "amd64", OSVersion: host})
			n := slices.IndexFunc(r.index(t, r.registry, image).Manifests, func(d v1.Descriptor) bool {
				return match.Match(ocispec.Platform{OS: d.Platform.OS, Architecture: d.Platform.Architecture, OSVersion: d.Platform.OSVersion})
			})
			got := ""
			if n >= 0 {
				got = r.index(t, r.registry, image).Manifests[n].Digest.String()
			}
			if got != want {
				t.Errorf("a node of %s takes %q of %s, want %q", host, got, image, want)
			}
		}
	}
}

// wanted are the digests that hosts take of an image, "" for none.
func (r *releasedWindows) wanted(image string) map[string]string {
	m := r.made[image].digests
	newest := m[v2025]
	if newest == "" {
		newest = m[v2022] // which a newer host runs, too
	}
	return map[string]string{"10.0.17763": "", "10.0.20348": m[v2022], "10.0.26100": newest}
}

// containerd pulls each image for hosts of both releases, and unpacks the one that it takes.
func (r *releasedWindows) containerd(t *testing.T) {
	socket, program := testprog.Containerd2(t)
	for image, m := range r.made {
		repo, err := name.NewRepository(r.registry + "/prebuilt/" + image)
		must(t, err)
		for host, want := range r.wanted(image) {
			if want == "" {
				continue
			}
			ctr := []string{"--address", socket, "--namespace", image + "-" + host}
			r.in(t, r.dir, nil, program, append(ctr, "images", "pull", "--local", "--plain-http",
				"--snapshotter=native", "--platform=windows("+host+")/amd64", r.ref(r.registry, image))...)
			snapshots := r.in(t, r.dir, nil, program, append(ctr, "snapshots", "--snapshotter=native", "list")...)
			for _, made := range m.digests {
				img, err := remote.Image(repo.Digest(made))
				must(t, err)
				if strings.Contains(snapshots, chainID(t, img)) != (made == want) {
					t.Errorf("containerd of %s has of %s\n%s, want of %q only %s", host, image, snapshots, m.digests, want)
				}
			}
		}
	}
}

// chainID is the name of the snapshot with all layers of an image.
func chainID(t *testing.T, img v1.Image) string {
	t.Helper()
	raw, err := img.RawConfigFile()
	must(t, err)
	var config ocispec.Image
	must(t, json.Unmarshal(raw, &config))
	return identity.ChainID(config.RootFS.DiffIDs).String()
}
