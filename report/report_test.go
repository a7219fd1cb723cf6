package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// dist makes the directory of a release, with a manifest in which lint finds something.
func dist(t *testing.T, change func(*lock.Lock)) string {
	t.Helper()
	dir := t.TempDir()
	st, l := bundletest.Demo(t, 1000)
	bundletest.Pack(t, st, l, dir, bundletest.Targets(t)...)
	change(l)
	for n := range l.Images { // the demo leaves them out
		for m := range l.Images[n].Children {
			c := &l.Images[n].Children[m]
			c.Config = l.Images[n].Digest
			if c.Base != nil {
				c.Base.Digest = l.Images[n].Digest
			}
		}
	}
	must(t, l.Write(filepath.Join(dir, lock.Name)))
	must(t, os.WriteFile(filepath.Join(dir, "release.yaml"), []byte(`apiVersion: v1
kind: Pod
metadata: {name: a, namespace: demo}
spec:
  nodeSelector: {kubernetes.io/os: windows}
  securityContext: {runAsUser: 0}
  containers:
    - {name: a, image: registry.example/a:`+l.Version+`}
`), 0o644))
	list(t, dir)
	return dir
}

// list writes the checksums of a directory.
func list(t *testing.T, dir string) {
	t.Helper()
	var sums strings.Builder
	files, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range files {
		digest := strings.Repeat("0", 64) // of bundles: the page shows it
		if !strings.HasSuffix(f.Name(), ".tar.zst") {
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			must(t, err)
			digest = bundletest.Sum(text)
		}
		sums.WriteString(digest + "  " + f.Name() + "\n")
	}
	must(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644))
}

func page(t *testing.T, path, base string) string {
	t.Helper()
	r, err := report.Read(t.Context(), path)
	must(t, err)
	var old *report.Release
	if base != "" {
		old, err = report.Read(t.Context(), base)
		must(t, err)
	}
	var out bytes.Buffer
	must(t, report.Write(&out, r, old))
	return out.String()
}

// TestPages holds the pages of a comparison, a directory, a lock and a bundle against golden
// ones. That of the comparison has all sections; the others have those that differ from it. They
// name nothing that a browser would get from elsewhere.
func TestPages(t *testing.T) {
	old := dist(t, func(l *lock.Lock) {})
	dir := dist(t, func(l *lock.Lock) {
		l.Version = "9.9.9"
		l.Go = "go1.26.8"
		l.Images[0].Children = l.Images[0].Children[:1]
		l.Sources = []lock.Source{{Name: "demo", Revision: "0123456789abcdef", URL: "https://example.com/demo"}}
	})
	bundles, err := filepath.Glob(filepath.Join(old, "*linux-amd64.tar.zst"))
	if err != nil || len(bundles) != 1 {
		t.Fatal(bundles, err)
	}
	whole := ""
	for _, tc := range [][3]string{
		{"compared", dir, old},
		{"dir", old, ""},
		{"lock", filepath.Join(dir, lock.Name), ""},
		{"bundle", bundles[0], ""},
	} {
		name := tc[0]
		got := page(t, tc[1], tc[2])
		golden.Compare(t, *update, "testdata/"+name+".html", different(strip(got), whole))
		if whole == "" {
			whole = strip(got)
		}
		if again := page(t, tc[1], tc[2]); again != got {
			t.Errorf("%s: two pages of the same release differ", name)
		}
		for _, m := range regexp.MustCompile(
			`<a href="https://[^"]*" rel="noreferrer"|(?:src|href)="([^"]*)"|url\(|@import|<link[^>]*stylesheet`).FindAllStringSubmatch(got, -1) {
			if !strings.HasPrefix(m[0], "<a href=") && !strings.HasPrefix(m[1], "#") && m[1] != "data:," {
				t.Errorf("%s: the page asks for %q", name, m[0])
			}
		}
	}
}

var section = regexp.MustCompile(`(?s)<section id="([a-z]+)">.*?</section>\n`)

// different returns a page with a comment in place of each section that the whole page has, too.
func different(page, whole string) string {
	return section.ReplaceAllStringFunc(page, func(s string) string {
		if strings.Contains(whole, s) {
			return "<!-- " + section.FindStringSubmatch(s)[1] + ": as in compared.html -->\n"
		}
		return s
	})
}

// strip leaves style and script out of a page, which have files of their own.
func strip(page string) string {
	return regexp.MustCompile(`(?s)(<(style|script)>).*?</`).ReplaceAllString(page, "$1</")
}

// TestHostile: whatever names say, the page shows it as text.
func TestHostile(t *testing.T) {
	text := page(t, dist(t, func(l *lock.Lock) {
		l.Name = `<script>alert(1)</script>`
		l.Version = "1\u202e2</title>"
		l.Images[0].Name = `" onmouseover="alert(1)` + strings.Repeat("x", 200)
		l.ThirdParty = []lock.ThirdParty{{
			Reference: "javascript:alert(3)//" + strings.Repeat("y", 200),
			Omitted:   "\u2067<b>",
		}}
		l.Sources = []lock.Source{{
			Name: "a\x1b[2J", URL: "javascript:alert(1)",
			Revision: "'><img src=x onerror=alert(1)>",
		}}
	}), "")
	for _, bad := range []string{
		"<script>alert", "</title></title>", "\u202e", "\u2067", "\x1b",
		"<b>", "<img", `href="javascript`, `" onmouseover="`,
	} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)") || !strings.Contains(text, "onmouseover=") {
		t.Error("the page does not show the names")
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "x.json"), []byte("{"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "x.tar.zst"), []byte("no"), 0o644))
	for _, path := range []string{
		dir, filepath.Join(dir, "x.json"), filepath.Join(dir, "x.tar.zst"),
		filepath.Join(dir, "none"),
	} {
		if _, err := report.Read(t.Context(), path); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPart: a bundle that was removed, or not downloaded, is one that the page cannot know.
func TestPart(t *testing.T) {
	dir := dist(t, func(*lock.Lock) {})
	bundles, err := filepath.Glob(filepath.Join(dir, "*.tar.zst"))
	must(t, err)
	for n, path := range bundles {
		must(t, os.Remove(path))
		if text := page(t, dir, dir); !strings.Contains(text,
			"What "+filepath.Base(path)+" contains: it is not there.") {
			t.Errorf("the page does not tell that bundle %d of %d is missing", n+1, len(bundles))
		}
	}
}

// TestMixed: a page is about one release.
func TestMixed(t *testing.T) {
	dir := dist(t, func(*lock.Lock) {})
	must(t, os.WriteFile(filepath.Join(dir, "release.yaml"), []byte("# of another release\n"), 0o600))
	if _, err := report.Read(t.Context(), dir); err == nil ||
		!strings.Contains(err.Error(), "release.yaml has the digest") {
		t.Errorf("a release.yaml of another release: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(strings.Repeat("0", 64)+"  a\n"), 0o600))
	if _, err := report.Read(t.Context(), dir); err == nil ||
		!strings.Contains(err.Error(), "SHA256SUMS does not list it") {
		t.Errorf("a lock of another release: %v", err)
	}
}
