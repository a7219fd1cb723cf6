package debian

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestBase makes a base of the packages that mmdebstrap installs, from nothing, and compares the two;
// and one with a shell and certificates alone, whose programs run.
func TestBase(t *testing.T) {
	r := registrytest.Serve(t)
	theirs := filepath.Join(t.TempDir(), "theirs")
	f, err := os.Open(bootstrapped(t, bookworm, "minbase.tar", "--variant=minbase"))
	must(t, err)
	defer f.Close()
	unpacked(t, theirs, f)
	status, err := os.ReadFile(filepath.Join(theirs, "var/lib/dpkg/status"))
	must(t, err)
	var names []string
	for l := range strings.Lines(string(status)) {
		if name, ok := strings.CutPrefix(l, "Package: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	p := basesProduct(t, r, map[string][]string{"whole": names, "small": {"busybox", "ca-certificates"}})
	p.run(t, "pin", "-q", "-store="+p.store)
	digests := p.release(t)
	p.elsewhere(t, digests)

	ours := filepath.Join(t.TempDir(), "ours")
	p.image(t, "whole", ours)
	p.compareBase(t, scanned(t, ours), scanned(t, theirs))
	for _, args := range [][]string{{"--audit"}, {"-V"}} {
		if a, b := dpkg(t, ours, args...), dpkg(t, theirs, args...); a != b {
			t.Errorf("dpkg %v (-mmdebstrap +slipway): %s", args, cmp.Diff(b, a))
		}
	}
	within(t, ours, "apt-get update && apt-get -s check && apt-get install -y --no-install-recommends hello && hello")

	small := filepath.Join(t.TempDir(), "small")
	p.image(t, "small", small)
	cmd := exec.CommandContext(t.Context(), "chroot", small, "/bin/busybox", "grep", "-c", "BEGIN CERTIFICATE",
		"/etc/ssl/certs/ca-certificates.crt")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) < 3 {
		t.Errorf("%v: %s", err, out)
	}
	if out := dpkg(t, small, "--audit"); out != "" {
		t.Errorf("dpkg --audit of the small base: %s", out)
	}
}

// basesProduct writes a product with an image on each base.
func basesProduct(t *testing.T, r *registrytest.Server, bases map[string][]string) product {
	t.Helper()
	p := product{upstream: upstream{name: "whole"}, dir: t.TempDir(), registry: r}
	p.store = filepath.Join(p.dir, ".slipway")
	type object = map[string]any
	var list, images []object
	for name, install := range bases {
		list = append(list, object{
			"name": name, "packages": object{"distribution": "debian", "suite": bookworm, "install": install},
		})
		images = append(images, object{"name": name, "source": "here", "dockerfile": object{"file": name, "context": "files"}})
		must(t, os.WriteFile(filepath.Join(p.dir, name), []byte("FROM "+name+"\nUSER 0\nENV A=b\n"), 0o644))
	}
	must(t, os.Mkdir(filepath.Join(p.dir, "files"), 0o755))
	text, err := json.Marshal(object{
		"apiVersion": "slipway/v1", "name": "whole", "version": "1.0.0", "platforms": []string{"linux/amd64"},
		"sources": []object{{
			"name": "here", "directory": "files", "revision": "abc", "created": "2024-01-01T00:00:00Z",
		}},
		"bases": list, "images": images,
	})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(p.dir, "slipway.yaml"), text, 0o644))
	return p
}

// ofBases are the paths in which a base differs from what mmdebstrap makes.
var ofBases = []difference{
	{name: "sources", paths: []string{"/etc/apt/sources.list", "/etc/apt/sources.list.d/"}, reason: "one form of two"},
}

func (p product) compareBase(t *testing.T, ours, theirs map[string]string) {
	t.Helper()
	n := 0
	for _, list := range []map[string]string{ours, theirs} {
		for f := range list {
			if ours[f] != theirs[f] && !slices.ContainsFunc(ofBases, func(d difference) bool { return d.has(f) }) && n < 60 {
				t.Errorf("%s: slipway has %q, mmdebstrap %q", f, ours[f], theirs[f])
				n++
			}
		}
	}
}
