package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// site makes the site of the documentation, as `go tool mage docs` does.
var site = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(workDir, "site")
	cmd := exec.Command("go", "run", "-trimpath", ".", "../..", dir)
	cmd.Dir, cmd.Env = "../../docs/website", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("making the site: %w\n%s", err, out)
	}
	return dir, nil
})

// docs opens a page of the documentation from the disk.
func docs(t *testing.T, file string, v view) *tab {
	t.Helper()
	dir, err := site()
	must(t, err)
	return open(t, filepath.Join(dir, file), v)
}

// elsewhere is quiet for a page that may load files of the site.
func elsewhere(o *tab) (wrong []string) {
	dir, err := site()
	must(o.t, err)
	for _, w := range quiet(o) {
		if !strings.HasPrefix(w, "the page asks for file://"+dir+"/") {
			wrong = append(wrong, w)
		}
	}
	return wrong
}

// TestSite opens pages of the documentation: the first one, a long one with tables and code, and
// search. They are as quiet and accessible as the pages of releases.
func TestSite(t *testing.T) {
	testprog.Need(t, "node")
	for name, file := range map[string]string{
		"index": "index.html", "reference": "reference.html",
		"search": "search.html?q=stub+base",
	} {
		o := docs(t, file, view{width: 1440})
		report(t, name, elsewhere(o)) // axe loads the style once more
		for _, v := range []view{{width: 360, dark: true}, {width: 1440}} {
			o.look(v)
			report(t, name+" "+v.String(), append(fits(o), accessible(o)...))
			fast := true
			shot := call(o, page.CaptureScreenshot, page.CaptureScreenshotParams{OptimizeForSpeed: &fast})
			must(t, os.WriteFile(filepath.Join(t.ArtifactDir(), "site-"+name+"-"+v.String()+".png"), shot.Data, 0o644))
		}
		if name == "index" {
			report(t, name, keyboard(o))
		}
	}
}

// TestSiteSearch searches as people do: by the form of a page, then by typing more. Without
// JavaScript the page of search leads to the list of all pages.
func TestSiteSearch(t *testing.T) {
	found := func(o *tab) string {
		return evaluate[string](o,
			`() => (document.querySelector("#results a")?.textContent ?? "nothing") + " | " + document.getElementById("count").textContent`)
	}
	o := docs(t, "adr/index.html", view{width: 1440})
	evaluate[int](o, `() => { document.getElementById("query").focus(); return 0; }`)
	o.press("floating tags")
	o.press(kb.Enter)
	must(t, chromedp.Do(o.ctx, chromedp.WaitVisible("#results a")))
	if got := found(o); !strings.HasPrefix(got, "Names and versions: When do floating tags move? | ") {
		t.Errorf("floating tags: %s", got)
	}
	evaluate[int](o, `() => { const q = document.getElementById("query"); q.focus(); q.select(); return 0; }`)
	o.press("<img src=x onerror=hacked()> glossary")
	if got := found(o); got != "nothing | No section has all of these words." {
		t.Errorf("markup: %s", got)
	}
	evaluate[int](o, `() => { document.getElementById("query").select(); return 0; }`)
	o.press("gloss")
	if got := found(o); !strings.HasPrefix(got, "Glossary | ") {
		t.Errorf("gloss: %s", got)
	}
	report(t, "search", elsewhere(o))
	plain := docs(t, "search.html?q=gloss", view{width: 1440, noScript: true})
	if got := evaluate[string](plain, `() => document.querySelector("main").innerText`); !strings.Contains(got,
		"The first page lists all pages.") {
		t.Errorf("without JavaScript the page of search has %q", got)
	}
}
