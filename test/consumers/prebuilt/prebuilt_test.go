package prebuilt

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

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
			one := m.make(t, r.world, dir)
			r.made[m.name] = one
			if one.other != nil {
				r.made[m.name+again] = *one.other
			}
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

// again is behind the name of an image in another form.
const again = "-again"

// names are those of the images.
func (r *released) names() []string { return slices.Sorted(maps.Keys(r.made)) }

// different are the names of the images without those in another form.
func (r *released) different() []string {
	return slices.DeleteFunc(r.names(), func(name string) bool { return strings.HasSuffix(name, again) })
}

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
	r.in(t, dir, env, r.slipway, "release", "-q", "-binary=false", "-registry="+r.registry, "-sign="+filepath.Join(r.keys, "release.key"))
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
	r.in(t, r.keys, []string{"SLIPWAY_PASSWORD=secret"}, slipway, "keygen", "release")
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
	out := r.in(t, filepath.Join(r.dir, "product", "dist"), nil, r.slipway, "airgap", "inspect", "-json",
		"prebuilt-images.tar.zst")
	if !strings.Contains(out, `"`+strings.Replace(c.manifest, ":", "-", 1)+`.sig"`) {
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
