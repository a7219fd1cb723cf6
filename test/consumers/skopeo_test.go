package consumers

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

// digest is the digest of what a program printed or wrote.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// skopeoCopy copies an image to a directory, blob by blob, which skopeo checks, and returns the
// digest of the manifest that arrived.
func skopeoCopy(t *testing.T, ref string, options ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	testprog.Run(t, "skopeo", append(append([]string{"--insecure-policy"}, options...), ref, "dir:"+dir)...)
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return digest(data)
}

// TestSkopeoLayout reads every bundle as an image layout: the index that a name refers to is the
// one that the lock pins. What is for Linux is also copied, and what is complete with all its
// platforms.
func TestSkopeoLayout(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "skopeo")
	version := packaged(t, "skopeo", "skopeo", "--version")
	each(t, func(t *testing.T, r release, b packedBundle) {
		var seen, copied sight
		call := ""
		for n, i := range r.images(t, b) {
			ref := "oci-archive:" + b.path + ":" + i.name
			got := digest([]byte(testprog.Run(t, "skopeo", "inspect", "--raw", ref)))
			if got != i.digest.String() {
				t.Errorf("%s has the digest %s, the lock has %s", i.name, got, i.digest)
			}
			seen.name(t, i, b.target(), got, "")
			want := i.digest.String()
			switch {
			case b.platform.IsZero() && (r.demo || n == 0):
				call = "skopeo copy --all oci-archive:BUNDLE:IMAGE …"
				got = skopeoCopy(t, ref, "copy", "--quiet", "--all")
				for _, c := range i.children {
					copied.has(c.Platform.String())
				}
			case !b.platform.IsZero() && b.platform.OS == platform.Linux && i.children != nil:
				call = "skopeo copy oci-archive:BUNDLE:IMAGE …"
				child, _ := i.child(t, b.platform)
				want = child.Digest.String()
				got = skopeoCopy(t, ref, "--override-os", "linux", "--override-arch", b.platform.Architecture,
					"copy", "--quiet")
				copied.has(child.Platform.String())
			default:
				continue
			}
			if got != want {
				t.Errorf("%s arrived with the digest %s, want %s", i.name, got, want)
			}
			copied.name(t, i, b.target(), got, "")
		}
		if _, err := testprog.Output(t.Context(), t, "skopeo", "inspect",
			"--raw", "oci-archive:"+b.path+":registry.invalid/none:1"); err == nil {
			t.Error("an image that is not there was found")
		}
		seen.record(t, version, "skopeo inspect --raw oci-archive:BUNDLE:IMAGE", r, b)
		if call != "" && r.demo {
			copied.record(t, version, call, r, b)
		}
	})
}

// TestSkopeoDocker reads every bundle as a docker-archive: the configuration, which is the
// image's identity there, is that of the lock, and the layers are what it says, which skopeo
// checks when it copies. Of the large release it copies what is for Linux.
func TestSkopeoDocker(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "skopeo")
	version := packaged(t, "skopeo", "skopeo", "--version")
	each(t, func(t *testing.T, r release, b packedBundle) {
		var s sight
		for n, i := range r.images(t, b) {
			ref := "docker-archive:" + b.path + ":" + i.name
			child, ok := i.child(t, b.target())
			if !ok {
				continue
			}
			got := digest([]byte(testprog.Run(t, "skopeo", "inspect", "--config", "--raw", ref)))
			if got != child.Config.String() {
				t.Errorf("%s has the configuration %s, the lock has %s", i.name, got, child.Config)
			}
			s.name(t, i, b.target(), got, "")
			s.has(child.Platform.String())
			if r.demo || n == 0 && b.platform.IsZero() || !b.platform.IsZero() && b.platform.OS == platform.Linux {
				skopeoCopy(t, ref, "copy", "--quiet")
			}
		}
		if _, err := testprog.Output(t.Context(), t, "skopeo", "inspect",
			"docker-archive:"+b.path+":registry.invalid/none:1"); err == nil {
			t.Error("an image that is not there was found")
		}
		s.record(t, version, "skopeo copy docker-archive:BUNDLE:IMAGE …", r, b)
	})
}
