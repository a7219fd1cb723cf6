package consumers

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

// containerd is a daemon of a version.
type containerd struct {
	version string // as the page has it
	socket  string
	ctr     string // its client
	newer   bool   // ctr leaves imports to the daemon, which decompresses
}

// TestContainerd1 gives bundles to the containerd of this system.
func TestContainerd1(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "zstd")
	socket := testprog.Containerd(t)
	takes(t, containerd{version: packaged(t, "containerd", "containerd", "--version"), socket: socket, ctr: "ctr"})
}

// TestContainerd2 gives bundles to a containerd 2.
func TestContainerd2(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "zstd")
	socket, ctr := testprog.Containerd2(t)
	takes(t, containerd{
		version: module(t, "containerd", programs, "github.com/containerd/containerd/v2"),
		socket:  socket, ctr: ctr, newer: true,
	})
}

// takes runs every test that one daemon serves.
func takes(t *testing.T, c containerd) {
	t.Run("ctr", c.testCtr)
	t.Run("names", c.testNames)
	t.Run("agent", c.testAgent)
	t.Run("load-images", c.testLoadImages)
	t.Run("groups", c.testGroups)
	t.Run("load-images of groups", c.testGroupsScript)
	t.Run("kubelet", c.testKubelet)
}

// namespace keeps what a test imports from one bundle from what is imported otherwise.
func namespace(r release, b packedBundle, mode string) string {
	return r.name + "." + b.label() + "." + mode
}

// run runs ctr in a namespace and returns all that it says.
func (c containerd) run(ctx context.Context, namespace string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx,
		c.ctr, append([]string{"--address", c.socket, "--namespace", namespace}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// list runs ctr to list something.
func (c containerd) list(t *testing.T, namespace string, args ...string) string {
	t.Helper()
	return testprog.Run(t, c.ctr, append([]string{"--address", c.socket, "--namespace", namespace}, args...)...)
}

// names returns the names that containerd has, with their digests.
func (c containerd) names(t *testing.T, namespace string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, line := range strings.Split(c.list(t, namespace, "images", "ls"), "\n")[1:] {
		if f := strings.Fields(line); len(f) > 2 {
			names[f[0]] = f[2]
		}
	}
	return names
}

// patience is how long a container may take that usually takes a second. A machine may be slow
// and busy: whoever waits in vain learns it later, nothing else.
const patience = 10 * time.Minute

// starts starts a container of an image, and reports whether its program printed what it should. Of
// a container that ends at once ctr may give up the pipes before it has read them, when the
// machine is busy: so one of which nothing was heard is started again, a few times.
func (c containerd) starts(t *testing.T, namespace, image string, run run) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// What runc keeps of containers is by default in one directory for all daemons of a machine.
	own := filepath.Join(filepath.Dir(c.socket), "runc")
	args := append([]string{
		"run", "--rm", "--net-host", "--runc-root", own, "--snapshotter", "native",
		image, run.image,
	}, run.command...)
	var out string
	var err error
	for range 6 {
		if out, err = c.run(ctx, namespace, args...); strings.Contains(out, run.says) {
			return true
		}
		if heard(out) {
			break
		}
	}
	t.Errorf("a container of %s does not say %q: %v\n%s", image, run.says, err, out)
	return false
}

// heard reports whether something was printed besides ctr's own warnings.
func heard(out string) bool {
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "level=warning") {
			return true
		}
	}
	return false
}

// compare compares the names in containerd with those of the lock.
func compare(t *testing.T, got map[string]string, want []image) {
	t.Helper()
	for _, i := range want {
		if got[i.name] != i.digest.String() {
			t.Errorf("%s is %q in containerd, the lock has %s", i.name, got[i.name], i.digest)
		}
		delete(got, i.name)
	}
	for name := range got {
		t.Errorf("%s is in containerd and should not be", name)
	}
}

// look notes what containerd has of a bundle: names with their digests, and the platforms of
// which it has all manifests and configurations. Where one platform was chosen on import, own
// looks for that only: containerd throws away the rest when it pleases.
func (c containerd) look(t *testing.T, ns string, r release, b packedBundle, own string) *sight {
	t.Helper()
	var s sight
	got, content := c.names(t, ns), map[string]bool{}
	for _, d := range strings.Fields(c.list(t, ns, "content", "ls", "-q")) {
		content[d] = true
	}
	has := map[string]count{}
	for _, i := range r.images(t, b) {
		s.name(t, i, b.target(), got[i.name], got[fmt.Sprintf("%s@%s", i.repository(), i.digest)])
		for _, child := range i.children {
			n := has[child.Platform.String()]
			n.add(content[child.Digest.String()])
			n.add(content[child.Config.String()])
			has[child.Platform.String()] = n
		}
	}
	for p, n := range has {
		if own != "" && !platform.Same(parse(t, p), parse(t, own)) {
			continue
		}
		switch carried := b.platform.IsZero() || platform.Same(parse(t, p), b.platform); {
		case n.n == n.of:
			s.has(p)
		case carried:
			t.Errorf("of %s containerd has %d blobs, want %d", p, n.n, n.of)
		}
	}
	return &s
}
