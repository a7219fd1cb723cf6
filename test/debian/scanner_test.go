package debian

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestScanners has syft and grype's matcher look at a base of packages alone. It runs where
// SLIPWAY_LISTS is set, as TestLists does.
func TestScanners(t *testing.T) {
	long(t)
	p := basesProduct(t, registrytest.Serve(t), map[string][]string{"whole": {"curl", "ca-certificates", "libgmp10", "gcc"}})
	p.run(t, "pin", "-q", "-store="+p.store)
	p.release(t)
	dir := filepath.Join(t.TempDir(), "image")
	p.image(t, "whole", dir)
	compareScanned(t, scanner(t), dir, filepath.Join(p.dir, "dist", "sbom", "whole.spdx.json"))
}

// long skips a test that takes minutes, unless SLIPWAY_LISTS is set.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("SLIPWAY_LISTS") == "" {
		t.Skip("SLIPWAY_LISTS is not set")
	}
}

// scanner builds the program that lists packages with syft, and matches them with grype's matcher.
// It compiles 1,700 packages the first time, but for what tests and the command need, too.
func scanner(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "scanner")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	cmd.Dir = filepath.Join("testdata", "scanner")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// compareScanned compares what syft finds in an image with what dpkg lists, and with the release's
// SBOM, and has grype's matcher take a vulnerability of each source and binary package.
func compareScanned(t *testing.T, program, dir, sbom string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, dir, "12").Output()
	must(t, err)
	var found []struct {
		Name, Version, PURL, Source string
		Matches                     []string
	}
	must(t, json.Unmarshal(out, &found))
	var syft, listed []string
	for _, p := range found {
		listed = append(listed, p.Name+" "+p.Version)
		syft = append(syft, plainPURL(t, p.PURL))
		want := []string{"CVE-" + p.Name}
		if p.Source != p.Name {
			want = append(want, "CVE-"+p.Source)
		}
		slices.Sort(want)
		if !slices.Equal(p.Matches, want) {
			t.Errorf("%s %s: grype's matcher takes %q, not %q", p.Name, p.Version, p.Matches, want)
		}
	}
	slices.Sort(listed)
	query, err := exec.CommandContext(t.Context(), "dpkg-query", "--admindir="+filepath.Join(dir, "var/lib/dpkg"),
		"--show", "--showformat=${Package} ${Version}\n").Output()
	must(t, err)
	want := sorted(strings.Split(strings.TrimSpace(string(query)), "\n"))
	if diff := cmp.Diff(want, listed); diff != "" || len(listed) == 0 {
		t.Errorf("syft (-dpkg +syft): %s", diff)
	}
	if diff := cmp.Diff(purls(t, sbom), sorted(syft)); diff != "" {
		t.Errorf("the SBOM (-SBOM +syft): %s", diff)
	}
}

// purls returns the package URLs of Debian's packages in an SBOM in SPDX.
func purls(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	var document struct {
		Packages []struct {
			ExternalRefs []struct{ ReferenceLocator string }
		}
	}
	must(t, json.Unmarshal(b, &document))
	var all []string
	for _, p := range document.Packages {
		for _, r := range p.ExternalRefs {
			if strings.HasPrefix(r.ReferenceLocator, "pkg:deb/") {
				all = append(all, plainPURL(t, r.ReferenceLocator))
			}
		}
	}
	return sorted(all)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// plainPURL returns a package URL without the distribution, which syft writes with the point
// release of os-release.
func plainPURL(t *testing.T, text string) string {
	t.Helper()
	before, query, _ := strings.Cut(text, "?")
	q, err := url.ParseQuery(query)
	must(t, err)
	q.Del("distro")
	return before + "?" + q.Encode()
}
