package consumers

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/test/need"
)

// namespace keeps what is imported from one bundle from what is imported from another.
func namespace(r release, b bundle) string {
	return r.name + "." + strings.TrimSuffix(filepath.Base(b.path), ".tar.zst")
}

// daemon starts a containerd with a root of its own and returns the path of its socket.
func daemon(t *testing.T) string {
	t.Helper()
	need.Programs(t, "zstd", "zstd")
	return need.Containerd(t)
}

// ctr runs ctr in a namespace.
func ctr(t *testing.T, socket, namespace string, args ...string) string {
	t.Helper()
	return need.Run(t, "ctr", append([]string{"--address", socket, "--namespace", namespace}, args...)...)
}

// load pipes a bundle through zstd into ctr, which reads plain tar only in containerd 1.6 and 1.7.
func load(t *testing.T, socket, namespace string, b bundle, options ...string) (string, error) {
	t.Helper()
	args := append([]string{"--address", socket, "--namespace", namespace, "images", "import", "--snapshotter", "native"}, options...)
	return pipe(t, b, "ctr", append(args, "-")...)
}

// imported returns the names that containerd has, with their digests.
func imported(t *testing.T, socket, namespace string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, line := range strings.Split(ctr(t, socket, namespace, "images", "ls"), "\n")[1:] {
		if f := strings.Fields(line); len(f) > 2 {
			names[f[0]] = f[2]
		}
	}
	return names
}

// compare holds the names in containerd against those of the lock.
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

// TestCtr imports the bundles that this machine's containerd can: those for its own platform, and the complete one.
func TestCtr(t *testing.T) {
	socket := daemon(t)
	each(t, func(t *testing.T, r release, b bundle) {
		options := []string{"--all-platforms", "--no-unpack"}
		if b.platform != nil {
			if b.platform.OS != platform.Linux {
				return // TestAgent does; ctr on Linux takes every Windows build for its own
			}
			options = []string{"--platform", platform.Format(*b.platform), "--no-unpack"}
		}
		ns := namespace(r, b)
		if out, err := load(t, socket, ns, b, options...); err != nil {
			t.Fatalf("ctr images import: %v\n%s", err, out)
		}
		compare(t, imported(t, socket, ns), r.images(t, b))
		content := ctr(t, socket, ns, "content", "ls", "-q")
		for _, i := range r.images(t, b) {
			for _, c := range i.children {
				carried := b.platform == nil || platform.Same(parse(t, c.Platform), *b.platform)
				for _, d := range []string{c.Digest.String(), c.Config.String()} {
					if strings.Contains(content, d) != carried {
						t.Errorf("%s for %s: %s is in containerd: %v, want %v", i.name, c.Platform, d, !carried, carried)
					}
				}
			}
		}
	})
}

// TestCtrRun imports bundles as on a node, unpacked, and starts containers from them.
func TestCtrRun(t *testing.T) {
	socket := daemon(t)
	each(t, func(t *testing.T, r release, b bundle) {
		var options []string
		switch {
		case b.platform == nil:
		case platform.Format(*b.platform) == "linux/amd64":
			options = []string{"--platform", "linux/amd64"}
		default:
			return // no node of this kind is here
		}
		ns := namespace(r, b)
		if out, err := load(t, socket, ns, b, options...); err != nil {
			t.Fatalf("ctr images import: %v\n%s", err, out)
		}
		for n, run := range r.runs {
			i, ok := r.lock.Image(run.image)
			if !ok {
				t.Fatalf("the release has no image %s", run.image)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			args := append([]string{"--address", socket, "--namespace", ns, "run", "--rm", "--net-host", "--snapshotter", "native", i.Tagged(), fmt.Sprintf("run-%d", n)}, run.command...)
			out, err := exec.CommandContext(ctx, "ctr", args...).CombinedOutput()
			if !strings.Contains(string(out), run.says) {
				t.Errorf("a container of %s does not say %q: %v\n%s", i.Tagged(), run.says, err, out)
			}
		}
	})
}
