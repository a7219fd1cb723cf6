package prebuilt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

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
	for _, image := range r.different() {
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
	for _, image := range r.different() {
		ref := r.ref(r.registry, image)
		r.in(t, r.dir, env, "docker", "pull", "--quiet", ref)
		r.said(t, image, r.in(t, r.dir, env, "docker", "run", "--rm", "--network=none", ref))
	}
}

func (r *released) podman(t *testing.T) {
	testprog.Need(t, "podman")
	dir, err := os.MkdirTemp("", "podman") // podman takes no path of more than 50 characters
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	options := []string{
		"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs",
		"--cgroup-manager", "cgroupfs", "--events-backend", "none", "--runtime", "runc",
	}
	for _, image := range r.different() {
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
