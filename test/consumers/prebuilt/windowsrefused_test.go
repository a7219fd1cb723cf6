package prebuilt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// scratch has no base, and so no version of Windows.
const scratch = `FROM scratch
COPY app.exe /app.exe
ENTRYPOINT ["C:\\app.exe"]
`

// TestWindowsRefused gives images to a release that builders call images for Windows, and that do
// not run on it.
func TestWindowsRefused(t *testing.T) {
	w := newWorld(t)
	w.addWindows(t)
	write(t, filepath.Join(w.context, "Dockerfile.scratch"), scratch)
	for _, test := range []struct {
		name     string
		consumer string
		make     func(t *testing.T, w *world, dir string)
		want     string
	}{
		{"podman build", "podman", podmanRefused, "none of its layers has the directory Files: they are those of a Linux image"},
		{"buildah build", "buildah", buildahRefused, "none of its layers has the directory Files: they are those of a Linux image"},
		{"buildah copy onto an image of buildctl", "buildah", mixedRefused, "1 of its layers lack the directory Files"},
		{"buildctl build without a base", "buildkit", buildctlRefused, "has not four parts, so no host can tell whether it runs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			testprog.Need(t, test.consumer)
			dir := t.TempDir()
			test.make(t, w, dir)
			slipway, err := testprog.Slipway(t.Context(), t.TempDir())
			must(t, err)
			write(t, filepath.Join(dir, "slipway.yaml"), `apiVersion: slipway/v1
name: prebuilt
version: 1.0.0
platforms: ["windows/amd64:ltsc2022"]
sources:
  - {name: here, directory: files, revision: abc, created: 2024-01-01T00:00:00Z}
images:
  - {name: app, source: here, prebuilt: {windows: "oci:layout"}}
`)
			write(t, filepath.Join(dir, "files", "text"), "text")
			if out := w.fails(t, dir, slipway, "release", "-q", "-binary=false", "-registry="+w.registry); !strings.Contains(out, test.want) {
				t.Errorf("slipway release says\n%s, want %q", out, test.want)
			}
		})
	}
}

// podmanRefused copies a program to the root of a layer, where Windows has Files.
func podmanRefused(t *testing.T, w *world, dir string) {
	ownStore(t)
	w.in(t, dir, nil, "podman", "build", "--format=oci", "--tls-verify=false", "--platform=windows/amd64", "--tag=localhost/app:1",
		"--build-arg=BASE="+w.nanoserver(v2022), "--target=windows", "--file="+filepath.Join(w.context, "Dockerfile.both"), w.context)
	w.in(t, dir, nil, "podman", "push", "localhost/app:1", "oci:layout:v1")
}

// buildahRefused does so, too.
func buildahRefused(t *testing.T, w *world, dir string) {
	ownStore(t)
	w.in(t, dir, nil, "buildah", "build", "--tls-verify=false", "--platform=windows/amd64", "--tag=localhost/app:1",
		"--build-arg=BASE="+w.nanoserver(v2022), "--target=windows", "--file="+filepath.Join(w.context, "Dockerfile.both"), w.context)
	w.in(t, dir, nil, "buildah", "push", "localhost/app:1", "oci:layout:v1")
}

// mixedRefused adds such a layer to an image that is right.
func mixedRefused(t *testing.T, w *world, dir string) {
	w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", testprog.Buildkitd(t), "build",
		"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context,
		"--opt=filename=Dockerfile.both", "--opt=build-arg:BASE="+w.nanoserver(v2022), "--opt=platform=windows/amd64",
		"--output=type=oci,dest=right,tar=false")
	ownStore(t)
	c := w.in(t, dir, nil, "buildah", "from", "oci:right:latest")
	w.in(t, dir, nil, "buildah", "copy", "--quiet", c, filepath.Join(w.context, "go.mod"), "/app.conf")
	w.in(t, dir, nil, "buildah", "commit", "--quiet", c, "localhost/app:1")
	w.in(t, dir, nil, "buildah", "push", "localhost/app:1", "oci:layout:v1")
}

// buildctlRefused makes an image without os.version.
func buildctlRefused(t *testing.T, w *world, dir string) {
	w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", testprog.Buildkitd(t), "build",
		"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context,
		"--opt=filename=Dockerfile.scratch", "--opt=platform=windows/amd64", "--output=type=oci,dest=layout,tar=false")
}
