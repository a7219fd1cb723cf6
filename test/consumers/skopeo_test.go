package consumers

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/test/need"
)

// TestSkopeoLayout reads every bundle as an image layout: the index that a name stands for is the one that the lock pins. What is for
// Linux or complete is also copied, blob by blob, which skopeo checks.
func TestSkopeoLayout(t *testing.T) {
	need.Programs(t, "skopeo", "skopeo")
	each(t, func(t *testing.T, r release, b bundle) {
		for n, i := range r.images(t, b) {
			ref := "oci-archive:" + b.path + ":" + i.name
			raw := need.Run(t, "skopeo", "inspect", "--raw", ref)
			if sum := sha256.Sum256([]byte(raw)); hex.EncodeToString(sum[:]) != i.digest.Hex {
				t.Errorf("%s has the digest sha256:%x, the lock has %s", i.name, sum, i.digest)
			}
			dir := filepath.Join(t.TempDir(), "copy")
			var args []string
			want := i.digest.Hex
			switch {
			case b.platform == nil && n == 0:
				args = []string{"--insecure-policy", "copy", "--quiet", "--all", ref, "dir:" + dir}
			case b.platform != nil && b.platform.OS == platform.Linux && i.children != nil:
				child, _ := i.child(t, *b.platform)
				want = child.Digest.Hex
				args = []string{"--insecure-policy", "--override-os", "linux", "--override-arch", b.platform.Architecture, "copy", "--quiet", ref, "dir:" + dir}
			default:
				continue
			}
			need.Run(t, "skopeo", args...)
			data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
			if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s arrived with the digest %x, want %s: %v", i.name, sum, want, err)
			}
		}
		if _, err := need.Output(t.Context(), t, "skopeo", "inspect", "--raw", "oci-archive:"+b.path+":registry.invalid/none:1"); err == nil {
			t.Error("an image that is not there was found")
		}
	})
}

// TestSkopeoDocker reads every bundle as a docker-archive: the configuration, which is the image's identity there, is that of the
// lock, and the layers of the first and the last image are what it says, which skopeo checks when it copies.
func TestSkopeoDocker(t *testing.T) {
	need.Programs(t, "skopeo", "skopeo")
	each(t, func(t *testing.T, r release, b bundle) {
		images := r.images(t, b)
		for n, i := range images {
			ref := "docker-archive:" + b.path + ":" + i.name
			child, ok := i.child(t, b.target())
			if !ok {
				continue
			}
			raw := need.Run(t, "skopeo", "inspect", "--config", "--raw", ref)
			if sum := sha256.Sum256([]byte(raw)); hex.EncodeToString(sum[:]) != child.Config.Hex {
				t.Errorf("%s has the configuration sha256:%x, the lock has %s", i.name, sum, child.Config)
			}
			if n > 0 && n < len(images)-1 {
				continue
			}
			need.Run(t, "skopeo", "--insecure-policy", "copy", "--quiet", ref, "dir:"+filepath.Join(t.TempDir(), "copy"))
		}
		if _, err := need.Output(t.Context(), t, "skopeo", "inspect", "docker-archive:"+b.path+":registry.invalid/none:1"); err == nil {
			t.Error("an image that is not there was found")
		}
	})
}
