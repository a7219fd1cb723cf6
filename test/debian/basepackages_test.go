package debian

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestBase makes a base of the packages that mmdebstrap installs, from nothing, and compares the
// two; and one with a shell and certificates alone, whose programs run.
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
	compareBase(t, scanned(t, ours), scanned(t, theirs))
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

// object is one of slipway.yaml, which is also JSON.
type object = map[string]any

// basesProduct returns a product with an image on each base.
func basesProduct(t *testing.T, r *registrytest.Server, bases map[string][]string) product {
	t.Helper()
	var list []object
	dockerfiles := map[string]string{}
	for name, install := range bases {
		list = append(list, object{
			"name": name, "packages": object{"distribution": "debian", "suite": bookworm, "install": install},
		})
		dockerfiles[name] = "FROM " + name + "\nUSER 0\nENV A=b\n"
	}
	return written(t, r, "whole", list, dockerfiles)
}

// written writes a product with bases, and an image of each Dockerfile.
func written(t *testing.T, r *registrytest.Server, name string, bases []object, dockerfiles map[string]string) product {
	t.Helper()
	p := product{upstream: upstream{name: name}, dir: t.TempDir(), registry: r, store: storeDir()}
	var images []object
	for name, text := range dockerfiles {
		images = append(images, object{"name": name, "source": "here", "dockerfile": object{"file": name, "context": "files"}})
		must(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
	}
	must(t, os.Mkdir(filepath.Join(p.dir, "files"), 0o755))
	text, err := json.Marshal(object{
		"apiVersion": "slipway/v1", "name": name, "version": "1.0.0", "platforms": []string{"linux/amd64"},
		"sources": []object{{
			"name": "here", "directory": "files", "revision": "abc", "created": "2024-01-01T00:00:00Z",
		}},
		"bases": bases, "images": images,
	})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(p.dir, "slipway.yaml"), text, 0o644))
	return p
}

// ofBases are the classes of paths in which a base may differ from what mmdebstrap makes of the
// same packages. Each occurs.
var ofBases = []difference{
	{
		name: "the sources", paths: []string{"/etc/apt/sources.list", "/etc/apt/sources.list.d/"},
		reason: "`debian.sources`, as in Debian's official images",
	},
	{
		name: "what apt keeps", paths: []string{"/var/lib/apt/", "/var/cache/apt/"},
		reason: "locks and directories of the apt that ran there; it also marks every package as installed for others",
	},
	{
		name: "what mmdebstrap adds", paths: []string{"/etc/fstab", "/etc/hostname", "/var/lib/dpkg/arch"},
		reason: "no package has them, and a container runtime makes the first two",
	},
	{
		name: "backups and locks", paths: []string{"/etc/.pwd.lock", "/etc/group-", "/etc/passwd-", "/var/lib/dpkg/status-old"},
		reason: "of files that were written in several steps there",
	},
	{
		name:   "the order of configuring",
		paths:  []string{"/etc/shells", "/var/lib/dpkg/diversions", "/var/cache/debconf/"},
		reason: "mmdebstrap unpacks the essential packages before it configures one; the lines are the same",
	},
	{
		name: "hard links", paths: []string{"/usr/bin/gunzip", "/usr/bin/uncompress"},
		reason: "the package has them; mmdebstrap unpacks it twice, and they are two files then",
	},
}

// compareBase compares two trees.
func compareBase(t *testing.T, ours, theirs map[string]string) {
	t.Helper()
	paths := maps.Clone(ours)
	maps.Copy(paths, theirs)
	occurred := map[string]bool{}
	for _, f := range slices.Sorted(maps.Keys(paths)) {
		if ours[f] == theirs[f] {
			continue
		}
		n := slices.IndexFunc(ofBases, func(d difference) bool { return d.has(f) })
		if n < 0 {
			t.Errorf("%s: slipway has %q, mmdebstrap %q", f, ours[f], theirs[f])
			continue
		}
		occurred[ofBases[n].name] = true
	}
	for _, d := range ofBases {
		if !occurred[d.name] {
			t.Errorf("the class %q does not occur: remove it", d.name)
		}
	}
}
