package consumers

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
)

// finish writes what a release has besides its bundles: the scripts for nodes, and the checksums.
func finish(t *testing.T, dir string, l *lock.Lock, key *signature.Signer, bundles []airgap.Target,
	files []bundle.File,
) {
	t.Helper()
	all, err := airgap.Scripts(l.Name, l.Version, bundles, files)
	if err != nil {
		t.Fatal(err)
	}
	var sums strings.Builder
	for _, s := range all {
		if err := os.WriteFile(filepath.Join(dir, s.Name), s.Data, 0o755); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(s.Data), s.Name)
	}
	for _, f := range files {
		for _, a := range f.Archives() {
			sums.WriteString(a.SHA256 + "  " + filepath.Base(a.Path) + "\n")
		}
	}
	sig, err := signature.SignPlain(t.Context(), key, []byte(sums.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(maintainers(dir)), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][]byte{
		filepath.Join(dir, "SHA256SUMS"): []byte(sums.String()), filepath.Join(dir, "SHA256SUMS.sig"): sig,
		maintainers(dir): key.Public.PEM(),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// maintainers is the public key of those who made the release in a directory. It is not next to the
// bundles, and in no directory above them.
func maintainers(dir string) string { return filepath.Join(filepath.Clean(dir)+".keys", "release.pub") }

// complete is how ctr images check has an image of which everything is there.
var complete = regexp.MustCompile(`\scomplete \(`)

// testLoadImages runs load-images.sh against containerd, as a node's operator does, and starts
// containers of what it loaded, by digest.
func (c containerd) testLoadImages(t *testing.T) {
	for _, r := range releases(t) {
		if c.newer && !r.demo {
			continue // the small one says as much
		}
		t.Run(r.name, func(t *testing.T) {
			p := parse(t, "linux/amd64")
			b := packedBundle{path: filepath.Join(r.dir, r.bundle("linux-amd64")), platform: p}
			const ns = kubeletNamespace // the script's own choice
			load := func(env ...string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(r.dir, "load-images.sh"))
				cmd.Dir = t.TempDir()
				cmd.Env = append(append(os.Environ(), "SNAPSHOT=yes", "CTR="+c.ctr, "ADDRESS="+c.socket,
					"CTR_FLAGS=--snapshotter native"), env...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("load-images.sh: %v\n%s", err, out)
				}
			}
			load()
			got := c.names(t, ns)
			if r.demo {
				c.testSources(t, ns, "load-images.sh", b)
				load("NAMESPACE=elsewhere", "KEY="+maintainers(r.dir), "LABELS=no")
				c.testSources(t, "elsewhere", "LABELS=no load-images.sh", b)
				if there := c.names(t, "elsewhere"); len(there) == 0 {
					t.Error("with NAMESPACE=elsewhere nothing is there")
				}
			}
			for _, i := range r.images(t, b) {
				for _, name := range []string{i.name, fmt.Sprintf("%s@%s", i.repository(), i.digest)} {
					if got[name] != i.digest.String() {
						t.Errorf("%s is %q in containerd, the lock has %s", name, got[name], i.digest)
					}
				}
			}
			for _, i := range r.images(t, b) { // asked and read as load-images.ps1 does on Windows
				if said := c.list(t, ns, "images", "check", "name=="+i.name); !complete.MatchString(said) {
					t.Errorf("ctr images check says of %s\n%s", i.name, said)
				}
			}
			s := c.look(t, ns, r, b, "")
			for _, run := range r.runs {
				i, _ := r.lock.Image(run.image)
				s.ran.add(c.starts(t, ns, i.Reference(), run))
			}
			if len(r.runs) > 0 {
				s.record(t, c.version, "load-images.sh", r, b)
			}
			// containerd knows the label since 1.6.25, and Debian has 1.6.20
			c.asKubelet(t, "load-images.sh", r, b, true, c.newer)
		})
	}
}
