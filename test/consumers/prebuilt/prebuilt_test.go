package prebuilt

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
)

// released is a release with an image of each maker, and what these printed.
type released struct {
	*world

	made    map[string]made
	lock    *lock.Lock
	mirror  string // a registry that the bundle was pushed to
	keys    string // the public keys: of the builder, if there is cosign, and of the release
	slipway string
}

// TestPrebuilt releases the image of each program, and gives it to each that runs images.
func TestPrebuilt(t *testing.T) {
	r := &released{world: newWorld(t), made: map[string]made{}}
	for _, m := range makers {
		t.Run("made by "+m.name, func(t *testing.T) {
			testprog.Need(t, m.consumer)
			dir := filepath.Join(r.dir, m.name)
			must(t, os.MkdirAll(dir, 0o755))
			r.made[m.name] = m.make(t, r.world, dir)
		})
	}
	if t.Failed() || len(r.made) == 0 {
		return
	}
	r.sign(t)
	r.release(t)
	t.Run("digests", r.digests)
	t.Run("evidence", r.evidence)
	t.Run("cosign", r.verifies)
	t.Run("Windows", r.windows)
	t.Run("containerd", r.containerd)
	t.Run("docker", r.docker)
	t.Run("podman", r.podman)
	t.Run("skopeo", r.skopeo)
}

// names are those of the images.
func (r *released) names() []string { return slices.Sorted(maps.Keys(r.made)) }

// ref is an image of the release in a registry.
func (r *released) ref(registry, image string) string {
	return registry + "/prebuilt/" + image + ":1.0.0"
}

// release releases all images with Windows halves, and pushes its bundle to another registry.
func (r *released) release(t *testing.T) {
	t.Helper()
	var err error
	r.slipway, err = testprog.Slipway(t.Context(), t.TempDir())
	must(t, err)
	dir := filepath.Join(r.dir, "product")
	write(t, filepath.Join(dir, "Dockerfile"), "FROM scratch\nCOPY text /text\n")
	write(t, filepath.Join(dir, "files", "text"), "text")
	var images strings.Builder
	for _, name := range r.names() {
		fmt.Fprintf(&images, "  - name: %s\n    source: here\n    prebuilt: {linux: %q}\n"+
			"    dockerfile: {file: Dockerfile, context: files}\n", name, r.made[name].prebuilt)
	}
	write(t, filepath.Join(dir, "slipway.yaml"), `apiVersion: slipway/v1
name: prebuilt
version: 1.0.0
platforms: [linux/amd64, "windows/amd64:ltsc2022", "windows/amd64:ltsc2025"]
sources:
  - {name: here, directory: files, revision: abc, created: 2024-01-01T00:00:00Z}
images:
`+images.String())
	env := []string{"SLIPWAY_PASSWORD=secret"}
	r.in(t, dir, env, r.slipway, "release", "-q", "-binary=false", "-registry="+r.registry, "-key="+filepath.Join(r.keys, "release.key"))
	r.lock, err = lock.ReadGiven(filepath.Join(dir, "dist", "release.lock.json"))
	must(t, err)
	r.mirror = serve(t)
	r.in(t, dir, env, r.slipway, "airgap", "push", "-q", "-key="+filepath.Join(r.keys, "release.pub"),
		filepath.Join("dist", "prebuilt-images.tar.zst"), "-to="+r.mirror)
}

// sign makes keys, and signs the image that is in a registry, as its builder would.
func (r *released) sign(t *testing.T) {
	t.Helper()
	r.keys = filepath.Join(r.dir, "keys")
	must(t, os.MkdirAll(r.keys, 0o755))
	slipway, err := testprog.Slipway(t.Context(), t.TempDir())
	must(t, err)
	r.in(t, r.keys, []string{"SLIPWAY_PASSWORD=secret"}, slipway, "keygen", "-name=release")
	if c, ok := r.made["crane"]; ok && !consumer.Without("cosign") {
		env := []string{"COSIGN_PASSWORD="}
		ref := r.registry + "/from/crane@" + c.manifest
		r.in(t, r.keys, env, testprog.Built(t, "cosign", "cosign2"), "generate-key-pair")
		r.in(t, r.keys, env, testprog.Built(t, "cosign", "cosign2"), "sign", "--yes", "--tlog-upload=false", "--key=cosign.key", ref)
		r.in(t, r.keys, env, testprog.Built(t, "cosign", "cosign3"), "sign", "--yes", "--tlog-upload=false",
			"--use-signing-config=false", "--key=cosign.key", ref)
	}
}

// index returns the index of an image in a registry.
func (r *released) index(t *testing.T, registry, image string) *v1.IndexManifest {
	t.Helper()
	ref, err := name.NewTag(r.ref(registry, image))
	must(t, err)
	i, err := remote.Index(ref)
	must(t, err)
	m, err := i.IndexManifest()
	must(t, err)
	return m
}

// linux is the digest of the Linux half in a registry.
func (r *released) linux(t *testing.T, registry, image string) string {
	t.Helper()
	for _, d := range r.index(t, registry, image).Manifests {
		if d.Platform.OS == "linux" {
			return d.Digest.String()
		}
	}
	t.Fatalf("%s has no image for Linux", image)
	return ""
}

// digests: the Linux half has the digest that its builder printed.
func (r *released) digests(t *testing.T) {
	for _, image := range r.names() {
		m := r.made[image]
		for _, registry := range []string{r.registry, r.mirror} {
			got := r.linux(t, registry, image)
			if m.manifest != "" && got != m.manifest {
				t.Errorf("%s: the manifest is %s, and the builder printed %s", image, got, m.manifest)
			}
			ref, err := name.NewDigest(registry + "/prebuilt/" + image + "@" + got)
			must(t, err)
			img, err := remote.Image(ref)
			must(t, err)
			config, err := img.ConfigName()
			must(t, err)
			if m.config != "" && config.String() != m.config {
				t.Errorf("%s: the configuration is %s, and the builder printed %s", image, config, m.config)
			}
		}
	}
}

// evidence: what BuildKit attests is a referrer of the Linux half, in both registries.
func (r *released) evidence(t *testing.T) {
	for image, m := range r.made {
		if !m.attested {
			continue
		}
		for _, registry := range []string{r.registry, r.mirror} {
			ref, err := name.NewDigest(registry + "/prebuilt/" + image + "@" + m.manifest)
			must(t, err)
			index, err := remote.Referrers(ref)
			must(t, err)
			all, err := index.IndexManifest()
			must(t, err)
			n := 0
			for _, d := range all.Manifests {
				img, err := remote.Image(ref.Context().Digest(d.Digest.String()))
				must(t, err)
				manifest, err := img.Manifest()
				must(t, err)
				if manifest.Layers[0].MediaType != "application/vnd.in-toto+json" {
					continue // of Slipway
				}
				n++
				layers, err := img.Layers()
				must(t, err)
				statement, err := layers[0].Compressed()
				must(t, err)
				text, err := io.ReadAll(statement)
				must(t, err)
				if manifest.Subject == nil || manifest.Subject.Digest.String() != m.manifest || !strings.Contains(string(text), "buildkit") {
					t.Errorf("the attestation is %+v with %s", manifest, text)
				}
			}
			if n != 1 {
				t.Errorf("%s has %d attestations of BuildKit in %s", image, n, registry)
			}
		}
	}
}

// verifies: cosign finds what the builder signed, and what Slipway did.
func (r *released) verifies(t *testing.T) {
	c, ok := r.made["crane"]
	if !ok || consumer.Without("cosign") {
		t.Skip("SLIPWAY_WITHOUT leaves cosign or crane out")
	}
	for _, registry := range []string{r.registry, r.mirror} {
		for _, key := range []string{"cosign.pub", "release.pub"} {
			ref := registry + "/prebuilt/crane@" + c.manifest
			r.in(t, r.keys, nil, testprog.Built(t, "cosign", "cosign3"), "verify", "--key="+key, "--insecure-ignore-tlog", ref)
			r.in(t, r.keys, nil, testprog.Built(t, "cosign", "cosign2"), "verify", "--key="+key, "--insecure-ignore-tlog",
				tagged(t, ref))
		}
	}
	// as it is in the bundle, where it is told
	out := r.in(t, filepath.Join(r.dir, "product", "dist"), nil, r.slipway, "airgap", "inspect", "prebuilt-images.tar.zst")
	if !strings.Contains(out, "application/vnd.dev.cosign.simplesigning.v1+json by cosign's tag of "+c.manifest) {
		t.Errorf("the bundle has no signature of %s:\n%s", c.manifest, out)
	}
}

// tagged copies an image and the signatures under the tag of cosign 2, which looks at them where
// there are no others.
func tagged(t *testing.T, text string) string {
	t.Helper()
	from, err := name.NewDigest(text)
	must(t, err)
	to, err := name.NewRepository(from.RegistryStr() + "/tagged/crane")
	must(t, err)
	sig := strings.Replace(from.DigestStr(), ":", "-", 1) + ".sig"
	for at, ref := range map[name.Reference]name.Reference{
		to.Digest(from.DigestStr()): from, to.Tag(sig): from.Context().Tag(sig),
	} {
		img, err := remote.Image(ref)
		must(t, err)
		must(t, remote.Write(at, img))
	}
	return to.Digest(from.DigestStr()).String()
}

// windows: a Windows node of containerd takes the newest build that it can run, which is the first
// of those in the index, and never the Linux half.
func (r *released) windows(t *testing.T) {
	for _, image := range r.names() {
		for _, version := range []string{"10.0.20348", "10.0.26100"} {
			host := platforms.NewMatcher(ocispec.Platform{OS: "windows", Architecture: "amd64", OSVersion: version})
			var taken []string
			for _, d := range r.index(t, r.registry, image).Manifests {
				p := ocispec.Platform{OS: d.Platform.OS, Architecture: d.Platform.Architecture, OSVersion: d.Platform.OSVersion}
				if host.Match(p) {
					taken = append(taken, p.OS+" "+p.OSVersion)
				}
			}
			linux := slices.ContainsFunc(taken, func(s string) bool { return !strings.HasPrefix(s, "windows ") })
			if len(taken) == 0 || linux || !strings.HasPrefix(taken[0], "windows "+version+".") || slices.Max(taken) != taken[0] {
				t.Errorf("a node of %s can run %q of %s", version, taken, image)
			}
		}
	}
}

// containerd pulls each image and starts it.
func (r *released) containerd(t *testing.T) {
	socket := testprog.Containerd(t)
	ctr := func(args ...string) string {
		return r.in(t, r.dir, nil, "ctr", append([]string{"--address", socket, "--namespace", "test"}, args...)...)
	}
	for _, image := range r.names() {
		ref := r.ref(r.registry, image)
		ctr("images", "pull", "--plain-http", "--snapshotter=native", ref)
		content := ctr("content", "ls", "-q")
		if m := r.made[image].manifest; !strings.Contains(content, m) {
			t.Errorf("containerd lacks %s of %s", m, image)
		}
		r.said(t, image, ctr("run", "--rm", "--net-host", "--runc-root", filepath.Join(filepath.Dir(socket), "runc"),
			"--snapshotter=native", ref, "run-"+image))
	}
}

// said checks what the program of an image printed.
func (r *released) said(t *testing.T, image, out string) {
	t.Helper()
	if out != says {
		t.Errorf("%s prints %q", image, out)
	}
}

func (r *released) docker(t *testing.T) {
	env := []string{"DOCKER_HOST=unix://" + testprog.Dockerd(t)}
	for _, image := range r.names() {
		ref := r.ref(r.registry, image)
		r.in(t, r.dir, env, "docker", "pull", "--quiet", ref)
		r.said(t, image, r.in(t, r.dir, env, "docker", "run", "--rm", "--network=none", ref))
	}
}

func (r *released) podman(t *testing.T) {
	testprog.Need(t, "podman")
	dir := t.TempDir()
	options := []string{
		"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs",
		"--cgroup-manager", "cgroupfs", "--events-backend", "none", "--runtime", "runc",
	}
	for _, image := range r.names() {
		ref := r.ref(r.registry, image)
		r.in(t, r.dir, nil, "podman", append(slices.Clone(options), "pull", "--quiet", "--tls-verify=false", ref)...)
		r.said(t, image, r.in(t, r.dir, nil, "podman", append(slices.Clone(options), "run", "--rm", "--network=none",
			"--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", ref)...))
	}
}

// skopeo copies the Linux half of each image, byte for byte.
func (r *released) skopeo(t *testing.T) {
	testprog.Need(t, "skopeo")
	for _, image := range r.names() {
		raw := r.in(t, r.dir, nil, "skopeo", "inspect", "--tls-verify=false", "--raw", "docker://"+r.ref(r.registry, image))
		var m v1.IndexManifest
		must(t, json.Unmarshal([]byte(raw), &m))
		if len(m.Manifests) != 3 {
			t.Errorf("%s has %d manifests", image, len(m.Manifests))
		}
		to := filepath.Join(r.dir, "copies", image)
		must(t, os.MkdirAll(to, 0o755))
		r.in(t, to, nil, "skopeo", "copy", "--src-tls-verify=false", "--preserve-digests", "--digestfile=digest",
			"docker://"+r.ref(r.registry, image), "dir:"+to+"/image")
		if got := read(t, filepath.Join(to, "digest")); got != r.linux(t, r.registry, image) {
			t.Errorf("skopeo copies %s of %s", got, image)
		}
	}
}
