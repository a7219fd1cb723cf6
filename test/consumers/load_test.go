package consumers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/test/need"
)

// TestDockerLoad gives the bundles for this kind of machine to docker load, which keeps images in its classic store.
func TestDockerLoad(t *testing.T) {
	need.Programs(t, "zstd", "zstd")
	loads(t, "docker", "-H", "unix://"+need.Dockerd(t))
}

// TestPodmanLoad gives them to podman load, which takes the archive for a docker-archive, since it holds more than one image.
func TestPodmanLoad(t *testing.T) {
	need.Programs(t, "zstd", "zstd")
	need.Programs(t, "podman", "podman")
	need.Root(t, "podman")
	dir := t.TempDir()
	loads(t, "podman", "--root", dir+"/root", "--runroot", dir+"/run", "--storage-driver", "vfs")
}

// loads pipes bundles through zstd into a program's load, as the README has it, and asks the program for every name: it must stand for
// the configuration in the lock, which is the image's ID there.
func loads(t *testing.T, program string, options ...string) {
	t.Helper()
	each(t, func(t *testing.T, r release, b bundle) {
		if b.platform == nil || platform.Format(*b.platform) != "linux/amd64" {
			return // the one for all platforms is for registries, the others are for other machines
		}
		if out, err := pipe(t, b, program, slices.Concat(options, []string{"load"})...); err != nil {
			t.Fatalf("%s load: %v\n%s", program, err, out)
		}
		for _, i := range r.images(t, b) {
			inspect := slices.Concat(options, []string{"image", "inspect", "--format", "{{.Id}}", i.name})
			id := strings.TrimPrefix(strings.TrimSpace(need.Run(t, program, inspect...)), "sha256:")
			child, ok := i.child(t, *b.platform)
			if ok && id != child.Config.Hex || id == "" {
				t.Errorf("%s has the ID %s, the lock says %s", i.name, id, child.Config)
			}
		}
	})
}

// pipe decompresses a bundle into a program's standard input and returns all that the program says.
func pipe(t *testing.T, b bundle, program string, args ...string) (string, error) {
	t.Helper()
	zstd := exec.CommandContext(t.Context(), "zstd", "--decompress", "--stdout", "--quiet", b.path)
	tar, err := zstd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = tar
	if err := zstd.Start(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	tar.Close()
	if zerr := zstd.Wait(); err == nil && zerr != nil {
		t.Errorf("zstd: %v", zerr)
	}
	return string(out), err
}
