package prebuilt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// made is an image for linux/amd64 that a program has made.
type made struct {
	prebuilt string // in slipway.yaml
	manifest string // its digest, as the program printed it or wrote it into the layout
	config   string // of one that has no manifest
	attested bool   // by BuildKit
	other    *made  // the same image in another form, which nobody has to run again
}

// makers are the programs that make images, in directories of their own.
var makers = []struct {
	name     string
	consumer string
	make     func(t *testing.T, w *world, dir string) made
}{
	{"buildctl", "buildkit", buildctl},
	{"buildx", "buildx", buildx},
	{"podman", "podman", podman},
	{"buildah", "buildah", buildah},
	{"ko", "ko", ko},
	{"crane", "crane", crane},
	{"skopeo", "skopeo", skopeo},
	{"umoci", "umoci", umoci},
	{"docker", "docker", docker},
	{"docker29", "docker", docker29},
	{"docker29-classic", "docker", docker29Classic},
	{"buildctl-docker", "buildkit", buildctlDocker},
	{"ctr", "containerd", ctr},
}

// buildctl writes a layout with an index of the image and its attestation.
func buildctl(t *testing.T, w *world, dir string) made {
	to, meta := filepath.Join(dir, "layout"), filepath.Join(dir, "meta.json")
	w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", testprog.Buildkitd(t), "build",
		"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context,
		"--opt=attest:provenance=mode=min", "--output=type=oci,dest="+to+",tar=false", "--metadata-file="+meta)
	digest := printed(t, meta)
	return made{prebuilt: "oci:" + to + "@" + digest, manifest: linux(t, to, digest), attested: true}
}

// buildx writes an archive of a layout, with an attestation that has no subject, as of BuildKit
// before v0.20.
func buildx(t *testing.T, w *world, dir string) made {
	testprog.Need(t, "docker")
	env, meta := withBuildx(t, dir), filepath.Join(dir, "meta.json")
	w.in(t, dir, env, "docker", "buildx", "create", "--name=slipway-test", "--driver=remote", "--use", testprog.Buildkitd(t))
	to := filepath.Join(dir, "image.tar")
	w.in(t, dir, env, "docker", "buildx", "build", "--provenance=mode=min",
		"--output=type=oci,dest="+to+",oci-artifact=false", "--metadata-file="+meta, w.context)
	return made{prebuilt: "oci-archive:" + to, manifest: archived(t, w, to, printed(t, meta)), attested: true}
}

// withBuildx is an environment in which docker has the plugin buildx.
func withBuildx(t *testing.T, dir string) []string {
	t.Helper()
	config := filepath.Join(dir, "config")
	must(t, os.MkdirAll(filepath.Join(config, "cli-plugins"), 0o755))
	must(t, os.Symlink(testprog.Built(t, "buildx", "buildx"), filepath.Join(config, "cli-plugins", "docker-buildx")))
	return []string{"DOCKER_CONFIG=" + config}
}

// printed is the digest in the metadata of BuildKit's clients.
func printed(t *testing.T, meta string) string {
	t.Helper()
	var m struct {
		Digest string `json:"containerimage.digest"`
	}
	must(t, json.Unmarshal([]byte(read(t, meta)), &m))
	return m.Digest
}

func podman(t *testing.T, w *world, dir string) made {
	ownStore(t)
	w.in(t, dir, nil, "podman", "build", "--format=oci", "--tag=localhost/app:1", w.context)
	w.in(t, dir, nil, "podman", "push", "--digestfile=digest", "localhost/app:1", "oci:"+dir+"/layout:v1")
	return made{prebuilt: "oci:" + dir + "/layout:v1", manifest: read(t, filepath.Join(dir, "digest"))}
}

func buildah(t *testing.T, w *world, dir string) made {
	ownStore(t)
	c := w.in(t, dir, nil, "buildah", "from", "scratch")
	w.in(t, dir, nil, "buildah", "copy", "--quiet", c, filepath.Join(w.context, "app"), "/app")
	w.in(t, dir, nil, "buildah", "config", "--entrypoint", `["/app"]`, c)
	w.in(t, dir, nil, "buildah", "commit", "--quiet", c, "localhost/app:1")
	w.in(t, dir, nil, "buildah", "push", "--digestfile=digest", "localhost/app:1", "oci-archive:"+dir+"/image.tar:v1")
	return made{prebuilt: "oci-archive:" + dir + "/image.tar:v1", manifest: read(t, filepath.Join(dir, "digest"))}
}

func ko(t *testing.T, w *world, dir string) made {
	to := filepath.Join(dir, "layout")
	out := w.in(t, w.context, []string{"KO_DOCKER_REPO=demo.invalid/app", "KO_DEFAULTBASEIMAGE=" + w.base(), "GOFLAGS=", "GOWORK=off"},
		testprog.Built(t, "ko", "ko"), "build", "--bare", "--insecure-registry", "--push=false", "--oci-layout-path="+to, "--platform=linux/amd64", "--sbom=none", ".")
	_, digest, _ := strings.Cut(out, "@")
	return made{prebuilt: "oci:" + to, manifest: linux(t, to, digest)}
}

// crane leaves the image in a registry.
func crane(t *testing.T, w *world, dir string) made {
	program, ref := testprog.Built(t, "crane", "crane"), w.registry+"/from/crane:1"
	w.in(t, dir, nil, program, "append", "--oci-empty-base", "--new_layer="+w.layer, "--new_tag="+ref)
	w.in(t, dir, nil, program, "mutate", "--entrypoint=/app", "--set-platform=linux/amd64", "--tag="+ref, ref)
	digest := w.in(t, dir, nil, program, "digest", ref)
	return made{prebuilt: ref + "@" + digest, manifest: digest}
}

func skopeo(t *testing.T, w *world, dir string) made {
	w.in(t, dir, nil, "skopeo", "copy", "--digestfile=digest", "docker-archive:"+w.saved, "oci:"+dir+"/layout:v1")
	return made{prebuilt: "oci:" + dir + "/layout:v1", manifest: read(t, filepath.Join(dir, "digest"))}
}

func umoci(t *testing.T, w *world, dir string) made {
	to := filepath.Join(dir, "layout")
	w.in(t, dir, nil, "umoci", "init", "--layout="+to)
	w.in(t, dir, nil, "umoci", "new", "--image="+to+":v1")
	w.in(t, dir, nil, "umoci", "insert", "--image="+to+":v1", filepath.Join(w.context, "app"), "/app")
	w.in(t, dir, nil, "umoci", "config", "--image="+to+":v1", "--config.entrypoint=/app")
	return made{prebuilt: "oci:" + to + ":v1", manifest: linux(t, to, "")}
}

// docker saves an image of its classic store, which has no manifest.
func docker(t *testing.T, w *world, dir string) made {
	host := []string{"DOCKER_HOST=unix://" + testprog.Dockerd(t), "DOCKER_BUILDKIT=0"}
	w.in(t, dir, host, "docker", "build", "--quiet", "--network=none", "--tag=demo/app:1", w.context)
	to := filepath.Join(dir, "image.tar")
	w.in(t, dir, host, "docker", "save", "--output="+to, "demo/app:1")
	return made{
		prebuilt: "docker-archive:" + to + ":demo/app:1",
		config:   w.in(t, dir, host, "docker", "image", "inspect", "--format={{.Id}}", "demo/app:1"),
	}
}
