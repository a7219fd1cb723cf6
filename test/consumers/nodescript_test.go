package consumers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/platforms"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// finish writes what a release has beside its bundles: the scripts for nodes, and the checksums.
func finish(t *testing.T, dir string, l *lock.Lock, bundles []product.Bundle, files []airgap.File) {
	t.Helper()
	all, err := airgap.Scripts(l, bundles, files)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if err := os.WriteFile(filepath.Join(dir, s.Name), s.Data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var sums strings.Builder
	for _, f := range files {
		sums.WriteString(f.SHA256 + "  " + filepath.Base(f.Path) + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLoadImages runs load-images.sh against containerd, as a node's operator does, and starts containers of what it loaded, by tag and by digest.
func TestLoadImages(t *testing.T) {
	socket := daemon(t)
	for _, cut := range []func(*testing.T) release{cutDemo, cutRelease} {
		r := cut(t)
		t.Run(r.name, func(t *testing.T) {
			ns := r.name + ".load-images"
			cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(r.dir, "load-images.sh"))
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "ADDRESS="+socket, "NAMESPACE="+ns, "CTR_FLAGS=--snapshotter native")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("load-images.sh: %v\n%s", err, out)
			}
			got := imported(t, socket, ns)
			p := parse(t, "linux/amd64")
			for _, i := range r.images(t, bundle{platform: &p}) {
				repository := i.name[:strings.LastIndex(i.name, ":")]
				for _, name := range []string{i.name, repository + "@" + i.digest.String()} {
					if got[name] != i.digest.String() {
						t.Errorf("%s is %q in containerd, the lock has %s", name, got[name], i.digest)
					}
				}
			}
			for _, run := range r.runs {
				i, ok := r.lock.Image(run.image)
				if !ok {
					t.Fatalf("the release has no image %s", run.image)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				args := append([]string{"--address", socket, "--namespace", ns, "run", "--rm", "--net-host", "--snapshotter", "native", i.Reference(), "loaded-" + run.image}, run.command...)
				out, err := exec.CommandContext(ctx, "ctr", args...).CombinedOutput()
				if !strings.Contains(string(out), run.says) {
					t.Errorf("a container of %s does not say %q: %v\n%s", i.Reference(), run.says, err, out)
				}
			}
		})
	}
}

// TestFallback: a node of Windows Server 2025 runs the 2022 image of others from its own bundle.
func TestFallback(t *testing.T) {
	socket := daemon(t)
	r := cutDemo(t)
	c, err := client.New(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // everything was read
	ctx := namespaces.WithNamespace(t.Context(), "fallback")
	f, err := os.Open(filepath.Join(r.dir, "demo-images.windows-ltsc2025-amd64.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if _, err := c.Import(ctx, z, client.WithAllPlatforms(true), client.WithSkipMissing()); err != nil {
		t.Fatal(err)
	}
	img, err := c.ImageService().Get(ctx, "docker.io/library/pause:3.9")
	if err != nil {
		t.Fatal(err)
	}
	host := platforms.OnlyStrict(platforms.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.26100.1"})
	if complete, _, _, missing, err := images.Check(ctx, c.ContentStore(), img.Target, host); err != nil || !complete {
		t.Errorf("not all of pause was imported, %v is missing: %v", missing, err)
	}
}
