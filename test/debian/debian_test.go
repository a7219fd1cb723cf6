package debian

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

var update = flag.Bool("update", false, "write docs/debian.md anew")

// TestDockerfiles releases each product: twice, and from another directory; its packages are those
// of its Dockerfile, and some images are compared with what apt makes.
func TestDockerfiles(t *testing.T) {
	testprog.Need(t, "mmdebstrap")
	t.Run("bases", func(t *testing.T) { // side by side, where they have to be made
		for _, b := range []struct {
			suite string
			whole bool
		}{{bookworm, true}, {trixie, true}, {trixie, false}} {
			t.Run(fmt.Sprint(b.suite, b.whole), func(t *testing.T) {
				t.Parallel()
				base(t, b.suite, b.whole)
			})
		}
	})
	r := registrytest.Serve(t)
	files := map[string]string{}
	for _, suite := range []string{bookworm, trixie} {
		files[suite] = base(t, suite, true)
		pushed(t, r, files[suite], suite)
	}
	pushed(t, r, base(t, trixie, false), "distroless")
	store := storeDir()
	var mu sync.Mutex
	occurred, compared := map[string]bool{}, 0
	t.Run("products", func(t *testing.T) {
		for _, u := range upstreams {
			t.Run(u.name, func(t *testing.T) {
				p := newProduct(t, u, r, store)
				p.run(t, "bases")
				p.run(t, "pin", "-store="+store)
				text, err := os.ReadFile(filepath.Join(p.dir, "packages.lock.yaml"))
				must(t, err)
				for _, name := range u.installs {
					if !strings.Contains(string(text), "{name: "+name+",") {
						t.Errorf("packages.lock.yaml lacks %s", name)
					}
				}
				digests := p.release(t)
				if again := p.release(t); !maps.Equal(again, digests) {
					t.Errorf("a second release: %s", cmp.Diff(digests, again))
				}
				p.elsewhere(t, digests)
				found, ok := p.check(t, files[u.base], text)
				mu.Lock()
				defer mu.Unlock()
				if ok {
					compared++
				}
				for _, name := range found {
					occurred[name] = true
				}
			})
		}
	})
	if t.Failed() || compared < 3 {
		return
	}
	for _, d := range differences {
		if !occurred[d.name] {
			t.Errorf("the class %q does not occur: remove it", d.name)
		}
	}
}

// elsewhere releases the product from another directory, with the same locks.
func (p product) elsewhere(t *testing.T, want map[string]string) {
	t.Helper()
	other := p
	other.dir = t.TempDir()
	must(t, os.CopyFS(other.dir, os.DirFS(p.dir)))
	must(t, os.RemoveAll(filepath.Join(other.dir, "dist")))
	if got := other.release(t); !maps.Equal(got, want) {
		t.Errorf("from another directory: %s", cmp.Diff(want, got))
	}
}

// check runs programs of the image, and compares it with what apt makes. It returns the classes of
// differences, and whether it was compared.
func (p product) check(t *testing.T, base string, packages []byte) (classes []string, compared bool) {
	t.Helper()
	if p.line == "" && p.smoke == nil {
		return nil, false
	}
	ours := filepath.Join(t.TempDir(), "ours")
	img := p.image(t, p.name, ours)
	if p.smoke != nil {
		prints(t, img, ours, p.smoke...)
	}
	if p.line == "" {
		return nil, false
	}
	if p.target != "" {
		ours = filepath.Join(t.TempDir(), "stage")
		p.image(t, p.name+"-"+p.target, ours)
	}
	theirs := filepath.Join(t.TempDir(), "theirs")
	installed(t, p.upstream, base, packages, theirs)
	classes = p.compare(t, scanned(t, ours), scanned(t, theirs))
	for _, args := range [][]string{{"--audit"}, {"-V"}} {
		if a, b := dpkg(t, ours, args...), dpkg(t, theirs, args...); a != b {
			t.Errorf("dpkg %v (-apt +slipway): %s", args, cmp.Diff(b, a))
		}
	}
	if p.target == "" {
		within(t, ours, "apt-get update && apt-get -s check && apt-get install -y --no-install-recommends hello && hello")
	}
	return classes, true
}

func dpkg(t *testing.T, root string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "dpkg", append([]string{"--root=" + root}, args...)...)
	out, _ := cmd.CombinedOutput() // it says so, and both are compared
	return strings.ReplaceAll(string(out), root, "")
}

// compare returns the classes of paths in which two trees differ.
func (p product) compare(t *testing.T, ours, theirs map[string]string) (classes []string) {
	t.Helper()
	paths := maps.Clone(ours)
	maps.Copy(paths, theirs)
	for _, f := range slices.Sorted(maps.Keys(paths)) {
		if ours[f] == theirs[f] || slices.Contains(p.own, f) {
			continue
		}
		if d := class(f); d != nil {
			classes = append(classes, d.name)
			continue
		}
		t.Errorf("%s: slipway has %q, apt %q", f, ours[f], theirs[f])
	}
	return classes
}

// TestPage compares docs/debian.md with the tables of this suite.
func TestPage(t *testing.T) {
	const most = 12
	if len(differences) > most {
		t.Errorf("there are %d classes of differences, more than %d", len(differences), most)
	}
	var b strings.Builder
	b.WriteString("# Differences from apt\n\nA Dockerfile that [installs Debian packages](apt.md) leaves the files that apt leaves on the " +
		"same base, by type, owner, mode, link, content and capability,\nbut for these. `test/debian` compares them with apt in a chroot, " +
		"and fails where a path is in no class, or a class does not occur;\n`go test ./test/debian -run=Page -update` writes this page.\n\n" +
		"| what | paths | why |\n|---|---|---|\n")
	for _, d := range differences {
		paths := append(slices.Clone(d.paths), d.part)
		paths = slices.DeleteFunc(paths, func(s string) bool { return s == "" })
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", d.name, strings.Join(paths, "` `"), d.reason)
	}
	b.WriteString("| the day in `/etc/shadow` | | that of the image's sources, so that every release has the same |\n")
	b.WriteString("\n## Bases\n\nA base that consists of the packages of Debian's minbase is compared with what mmdebstrap makes of the same " +
		"packages, and differs in these:\n\n| what | paths | why |\n|---|---|---|\n")
	for _, d := range ofBases {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", d.name, strings.Join(d.paths, "` `"), d.reason)
	}
	b.WriteString("\n## Products\n\nThese Dockerfiles are released as upstream has them, all layers, twice and from two directories. What is a " +
		"stand-in: the base, which is\nmade by mmdebstrap with `clean-install`, a hold, and the `dpkg.cfg.d` and `apt.conf.d` of Kubernetes' debian-base; every " +
		"program that a\nMakefile compiles or that is downloaded, which `outputs` names; and the modes of scripts, which Go modules lack.\nTheir programs, and `mount.cifs`, `mount.nfs`, `iscsiadm` and `curl` of an image whose Dockerfile adds a certificate, run in runc, as the\n" +
		"user of the image.\n\n" +
		"| product | Dockerfile | suite | stand-ins of programs | compared with apt | |\n|---|---|---|---|---|---|\n")
	for _, u := range upstreams {
		var names []string
		for _, o := range u.outputs {
			names = append(names, o[strings.LastIndex(o, "/")+1:])
		}
		yes := ""
		if u.line != "" {
			yes = "yes"
		}
		module, _, _ := strings.Cut(u.module, "@v0.0.0-")
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s | %s |\n", module, u.file, u.base, strings.Join(names, ", "), yes, u.note)
	}
	b.WriteString("\n## Scanners\n\nWith `SLIPWAY_LISTS=1`, which takes minutes and is not part of the usual run, the suite installs the packages of twelve products, " +
		"and has\nsyft's cataloger and grype's matcher look at the images: they find what dpkg lists, each with its source, under the package URLs of the SBOM.\n")
	golden.Compare(t, *update, filepath.Join("..", "..", "docs", "debian.md"), b.String())
}
