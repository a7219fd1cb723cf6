package debian

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

const libraries = `FROM debian-base:trixie
RUN mkdir -p /usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3 /usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v2 \
      /opt/lib/glibc-hwcaps/x86-64-v4 /opt/lib/haswell && \
    cp /usr/lib/x86_64-linux-gnu/libz.so.1 /usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/libz.so.1 && \
    cp /usr/lib/x86_64-linux-gnu/libz.so.1 /usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v2/libz.so.1 && \
    cp /usr/lib/x86_64-linux-gnu/libz.so.1 /opt/lib/glibc-hwcaps/x86-64-v4/libz.so.1.3 && \
    cp /usr/lib/x86_64-linux-gnu/libm.so.6 /opt/lib/libm.so && \
    cp /usr/lib/x86_64-linux-gnu/libm.so.6 /opt/lib/haswell/libm.so.6 && \
    echo /opt/lib > /etc/ld.so.conf.d/opt.conf && \
    ldconfig
`

// TestLdconfig compares the cache of libraries, and the links to them, with those that ldconfig of
// trixie's glibc makes, which since 2.37 passes over directories such as haswell.
func TestLdconfig(t *testing.T) {
	r := registrytest.Serve(t)
	pushed(t, r, base(t, trixie, true), trixie)
	p := product{
		upstream: upstream{name: "libraries", file: "Dockerfile", base: trixie, from: []string{"debian-base:trixie"}},
		dir:      t.TempDir(), store: filepath.Join(t.TempDir(), "store"), registry: r,
	}
	must(t, os.Mkdir(filepath.Join(p.dir, "upstream"), 0o755))
	must(t, os.WriteFile(filepath.Join(p.dir, "upstream", "Dockerfile"), []byte(libraries), 0o644))
	p.write(t)
	p.run(t, "bases")
	p.release(t)
	root := filepath.Join(t.TempDir(), "root")
	p.image(t, p.name, root)
	cache := filepath.Join(root, "etc", "ld.so.cache")
	ours, err := os.ReadFile(cache)
	must(t, err)
	links := scanned(t, filepath.Join(root, "opt"))
	must(t, os.Remove(cache))
	if out, err := exec.CommandContext(t.Context(), "chroot", root, "/sbin/ldconfig").CombinedOutput(); err != nil {
		t.Fatalf("ldconfig: %v\n%s", err, out)
	}
	theirs, err := os.ReadFile(cache)
	must(t, err)
	if !bytes.Contains(theirs, []byte("/opt/lib/glibc-hwcaps/x86-64-v4/")) {
		t.Error("ldconfig has no library for one kind of processors")
	}
	if !bytes.Equal(ours, theirs) {
		t.Errorf("ld.so.cache has %d bytes, and %d by ldconfig:\n%q\n%q", len(ours), len(theirs), ours, theirs)
	}
	for path, text := range scanned(t, filepath.Join(root, "opt")) {
		if links[path] != text {
			t.Errorf("/opt%s: slipway has %q, ldconfig %q", path, links[path], text)
		}
	}
}
