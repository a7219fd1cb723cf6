package release_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

var (
	products = flag.Uint64("products", extent.Number[uint64](7, 70), "how many products to draw")
	seed     = flag.Uint64("seed", 1, "where the drawing of products begins")
)

// unknown are the reasons for which a release refuses what its check and its plan let pass, since
// these read no layers.
var unknown = []struct{ text, why string }{
	{"[index-entrypoint-mode]", "a layer of a prebuilt image has the mode"},
	{"[index-entrypoint-missing]", "a layer of a prebuilt image has the program"},
	{"[index-user-unknown]", "a layer of a prebuilt image has /etc/passwd"},
	{"which does not let user", "a layer of a base has the mode"},
	{"the image has no such file", "a layer of a base has the program"},
	{"/etc/passwd of the image does not have it", "a layer of a base has it"},
	{
		"for linux/s390x, but the image is for", "the product is not for s390x: only bundles for all " +
			"platforms have the manifest, and of such the documents are not read",
	},
}

// TestVerdicts draws products of right and wrong images. The verdict on them is the same from a
// cold store and a warm one; what check or plan refuses a release refuses, and what they let pass
// it refuses for nothing that they could have known; a snapshot and a release to a registry agree;
// nothing of a refused release gets into the registry; and audit -deep finds no error in the images
// of one that was not refused.
func TestVerdicts(t *testing.T) {
	extent.Plain(t)
	green, count := 0, *products
	for n := range count {
		s := drawProduct(t, *seed, n)
		snapshot, pushed := s.verdicts(t, ""), s.verdicts(t, s.registry.Host()+"/own")
		if pushed.released == "" {
			green++
		}
		if d := differing(s, snapshot, pushed); d != "" {
			t.Errorf("a snapshot and a release to a registry differ:\n%s", d)
		}
		if t.Failed() {
			t.Fatalf("product %d of seed %d:%s", n, *seed, s.what)
		}
	}
	t.Logf("%d of %d products are released", green, count)
	if n := int(count); n > 50 && *seed == 1 && (green < n/4 || green > n*3/4) {
		t.Errorf("%d of %d products are released: draw more of the others", green, n)
	}
}

// verdicts are what commands say of a product; "" is that nothing is wrong.
type verdicts struct{ checked, planned, released string }

// verdicts runs the commands from a cold store and from a warm one, and holds them to each other.
func (s drawnProduct) verdicts(t *testing.T, registry string) verdicts {
	t.Helper()
	must(t, os.RemoveAll(filepath.Join(s.dir, ".slipway")))
	cold := s.verdict(t, registry)
	warm := s.verdict(t, registry)
	if cold.released != warm.released {
		t.Errorf("-registry=%s: from a cold store:\n%s\nfrom a warm one:\n%s", registry, cold.released, warm.released)
	}
	for said, what := range map[string]string{
		cold.checked: "check, cold", warm.checked: "check, warm", cold.planned: "plan, cold", warm.planned: "plan, warm",
	} {
		switch {
		case said != "" && cold.released == "":
			t.Errorf("-registry=%s: %s refuses what is released:\n%s", registry, what, said)
		case said == "" && (registry != "" || strings.HasPrefix(what, "plan")):
			for line := range strings.Lines(cold.released) {
				if !slices.ContainsFunc(unknown, func(u struct{ text, why string }) bool {
					return strings.Contains(line, u.text)
				}) && !strings.HasPrefix(line, "images break rules: ") {
					t.Errorf("-registry=%s: %s lets pass what a release refuses:\n%s", registry, what, line)
				}
			}
		}
	}
	return cold
}

func (s drawnProduct) verdict(t *testing.T, registry string) (v verdicts) {
	t.Helper()
	load := func() *product.Product {
		o := product.Options{Path: filepath.Join(s.dir, product.File)}
		if registry != "" {
			o.Registries = []string{registry}
		}
		p, err := product.Load(t.Context(), o)
		must(t, err)
		return p
	}
	_, err := release.Check(t.Context(), load())
	v.checked = s.plain(err)
	plan, err := release.MakePlan(t.Context(), load(), release.Options{Out: s.dist()})
	must(t, err)
	v.planned = s.plain(plan.Err())
	s.registry.Reset()
	_, err = release.Release(t.Context(), load(), release.Options{Out: s.dist()})
	v.released = s.plain(err)
	switch sent := s.registry.Count(http.MethodPut, "/v2/own/"); {
	case err != nil && sent > 0:
		t.Errorf("-registry=%s: a refused release sends %d documents and layers:\n%v", registry, sent, err)
	case err == nil && registry != "":
		s.audit(t, registry+"/demo/app:1.0.0")
		if strings.Contains(read(t, filepath.Join(s.dir, product.File)), "name: tool") {
			s.audit(t, registry+"/demo/tool:1.0.0")
		}
	case err == nil && !s.based:
		s.audit(t, filepath.Join(s.dist(), "demo-images.tar.zst"))
	}
	return v
}

// audit fails for each error that audit -deep finds in images of the product.
func (s drawnProduct) audit(t *testing.T, what string) {
	t.Helper()
	deep, err := audit.NewDeep()
	must(t, err)
	defer deep.Close() //nolint:errcheck // a directory for temporary files
	r := audit.NewReader(network.Options{})
	r.Before, r.Deep = audit.NoBefore, deep
	all, _, err := r.Read(t.Context(), what)
	must(t, err)
	seen := 0
	for _, i := range all {
		if !strings.Contains(i.Name, "/demo/") {
			continue
		}
		seen++
		for _, f := range lint.CheckIndexes([]lint.Index{i}, lint.IndexOptions{}).Findings {
			if f.Severity == lint.Error {
				t.Errorf("audit -deep: %s", f)
			}
		}
	}
	if seen == 0 {
		t.Errorf("%s has no image of the product", what)
	}
}

var digest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// plain returns the lines of an error, sorted, without what each run has of its own.
func (s drawnProduct) plain(err error) string {
	if err == nil {
		return ""
	}
	text := strings.NewReplacer(s.dir+"/", "", s.registry.Host()+"/own/demo/", "demo/", "slipway.local/demo/", "demo/",
		s.registry.Host(), "HOST").Replace(err.Error())
	lines := strings.Split(digest.ReplaceAllString(text, "sha256:…"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// differing compares what a snapshot says with what a release to a registry says. Of a base a
// snapshot knows nothing.
func differing(s drawnProduct, snapshot, pushed verdicts) string {
	if snapshot.released == pushed.released || s.based && strings.Contains(pushed.released, "building image app: ") {
		return ""
	}
	return fmt.Sprintf("snapshot:\n%s\nregistry:\n%s", snapshot.released, pushed.released)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
