package prebuilt

import (
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// built29 lets Docker 29 build an image with one of its stores, and saves it. It returns the digest
// of what was built: that of an index in the containerd store, and of the configuration in the
// other.
func built29(t *testing.T, w *world, dir, store, dockerfile string, args ...string) (file, digest string) {
	t.Helper()
	socket, docker := testprog.Dockerd29(t, store)
	env := append(withBuildx(t, dir), "DOCKER_HOST=unix://"+socket)
	args = append(args, "--file="+filepath.Join(w.context, dockerfile), "--tag=demo/app:1", w.context)
	w.in(t, dir, env, docker, append([]string{"buildx", "build"}, args...)...)
	file = filepath.Join(dir, "image.tar")
	w.in(t, dir, env, docker, "save", "--output="+file, "demo/app:1")
	return file, w.in(t, dir, env, docker, "image", "inspect", "--format={{.Id}}", "demo/app:1")
}

// docker29 saves an image of the containerd store: a layout of an index and its attestation, and
// manifest.json. It may be named as either.
func docker29(t *testing.T, w *world, dir string) made {
	file, digest := built29(t, w, dir, testprog.ContainerdStore, "Dockerfile.copies", "--provenance=mode=min")
	m := made{prebuilt: "oci-archive:" + file, manifest: archived(t, w, file, digest), attested: true}
	return made{"docker-archive:" + file + ":demo/app:1", m.manifest, "", true, &m}
}

// docker29Classic saves an image of the classic store: a layout of a manifest whose layers are not
// compressed, and manifest.json.
func docker29Classic(t *testing.T, w *world, dir string) made {
	file, id := built29(t, w, dir, testprog.ClassicStore, "Dockerfile.copies")
	return made{prebuilt: "docker-archive:" + file + ":demo/app:1", config: id}
}

// buildctlDocker writes an archive for docker load, which is a layout, too.
func buildctlDocker(t *testing.T, w *world, dir string) made {
	file, meta := filepath.Join(dir, "image.tar"), filepath.Join(dir, "meta.json")
	w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", testprog.Buildkitd(t), "build",
		"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context,
		"--output=type=docker,dest="+file+",name=demo/app:1", "--metadata-file="+meta)
	return made{prebuilt: "docker-archive:" + file + ":demo/app:1", manifest: archived(t, w, file, printed(t, meta))}
}

// ctr lets containerd 2 fetch an image that BuildKit has pushed with an attestation, and export the
// index with all that it lists. Exported for one platform, the index lists the attestation, which
// stays behind: the image is named alone.
func ctr(t *testing.T, w *world, dir string) made {
	ref, meta := w.registry+"/from/ctr:1", filepath.Join(dir, "meta.json")
	w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", testprog.Buildkitd(t), "build",
		"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context, "--opt=attest:provenance=mode=min",
		"--output=type=image,name="+ref+",push=true,registry.insecure=true", "--metadata-file="+meta)
	socket, program := testprog.Containerd2(t)
	ctr := func(args ...string) {
		w.in(t, dir, nil, program, append([]string{"--address", socket, "--namespace", "test"}, args...)...)
	}
	ctr("content", "fetch", "--plain-http", "--all-platforms", ref)
	ctr("images", "export", "--local", "--all-platforms", "all.tar", ref)
	ctr("images", "export", "--local", "--platform=linux/amd64", "one.tar", ref)
	all, one := filepath.Join(dir, "all.tar"), filepath.Join(dir, "one.tar")
	digest := archived(t, w, all, printed(t, meta))
	return made{"oci-archive:" + all, digest, "", true, &made{prebuilt: "oci-archive:" + one + "@" + digest, manifest: digest}}
}
