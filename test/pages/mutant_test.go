package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMutants breaks pages, each in one place, and asks the check that is for it.
func TestMutants(t *testing.T) {
	const policy = `<meta http-equiv="Content-Security-Policy"`
	r := changed(t)
	l := r.lock(t)
	sum := regexp.MustCompile(`(\w{64})  \S+\.tar\.zst\n`).FindStringSubmatch(read(t,
		filepath.Join(r.dir, "SHA256SUMS")))[1]
	o := open(t, r.page, view{width: 1440})
	digest := l.Images[0].Children[0].Digest.Hex
	for name, m := range map[string]mutant{
		"dark paper":    {"@media screen and (prefers", "@media (prefers", printed},
		"menu on paper": {"nav, .skip { display: none; }", "", printed},
		"cut on paper": {"</style>", "@media print { pre, pre * { overflow: hidden !important; white-space: " +
			"pre !important; max-width: 3rem } }</style>", printed},
		"message":         {"</main>", `<script>console.warn("x")</script></main>`, quiet},
		"exception":       {"</main>", `<script>x.y()</script></main>`, quiet},
		"refused request": {"</main>", `<img src="http://` + control + `/refused.png" alt=""></main>`, quiet},
		"request": {
			policy, `<link rel="stylesheet" href="http://` + control + `/a.css"><meta name="x"`,
			quiet,
		},
		"digest": {`data-copy="sha256:` + digest[:8], `data-copy="sha256:00000000`, func(o *tab) []string {
			return images(o, l)
		}},
		"shown digest": {">" + digest[:12] + "<", ">000000000000<", func(o *tab) []string { return images(o, l) }},
		"size": {`<span class="bytes">`, `<span class="bytes">1`, func(o *tab) []string {
			return images(o, l)
		}},
		"tag":    {"<code>1.1.0</code>", "<code>1.2.0</code>", func(o *tab) []string { return names(o, l) }},
		"bundle": {sum, strings.Repeat("0", 64), func(o *tab) []string { return bundles(o, r.dir) }},
		"line of finding": {`class="found"`, `class="found" hidden></span><span`, func(o *tab) []string {
			return findings(o, r.dir)
		}},
		"finding": {"<article class=", "<article></article><article class=", func(o *tab) []string {
			return findings(o, r.dir)
		}},
		"difference": {
			`<section id="changes">`, `<section id="changes"></section><section id="was">`,
			func(o *tab) []string { return differences(o, l, hello(t).lock(t)) },
		},
		"only by script":   {"<main>", `<main><script>document.currentScript.after("more")</script>`, unscripted},
		"cut digest":       {`title="sha256:`, `title="`, unscripted},
		"order of focus":   {"<main>", `<main><button tabindex="1">first</button>`, keyboard},
		"no outline":       {"</style>", "*:focus-visible { outline: none !important }</style>", keyboard},
		"no skip":          {`href="#images"`, `href="#names"`, skip},
		"wrong copy":       {"writeText(button.dataset.copy)", `writeText("other")`, copied},
		"no copy":          {"navigator.clipboard)", "navigator.nothing)", copied},
		"contrast":         {"</style>", "h2 { color: #999; background: #fff }</style>", accessible},
		"contrast in dark": {"</style>", "@media (prefers-color-scheme: dark) { h2 { color: #333 } }</style>", dark},
		"no language":      {`<html lang="en">`, "<html>", accessible},
		"wide":             {"</main>", `<div style="width: 2000px">wide</div></main>`, fits},
		"markup":           {"</main>", markup + "</main>", text},
		"event":            {"<main>", `<main onmouseover="hacked()">`, text},
		"bidi":             {"</main>", "\u202e</main>", text},
	} {
		m.try(o, name, r.page)
	}
}

// mutant is a page that is broken in one place.
type mutant struct {
	from, to string
	check    func(o *tab) []string
}

// try breaks a page, and fails if its check finds nothing.
func (m mutant) try(o *tab, name, page string) {
	o.t.Helper()
	html := read(o.t, page)
	broken := strings.Replace(html, m.from, m.to, 1)
	if broken == html {
		o.t.Errorf("%s: the page has no %q", name, m.from)
		return
	}
	path := filepath.Join(o.t.TempDir(), "broken.html")
	must(o.t, os.WriteFile(path, []byte(broken), 0o644))
	o.show(path, view{width: 1440})
	if len(m.check(o)) == 0 {
		o.t.Errorf("%s: nothing is wrong with a page with %q for %q", name, m.to, m.from)
	}
}

// printed is a page on paper.
func printed(o *tab) []string {
	o.look(view{width: 680, dark: true, print: true})
	return paper(o)
}

// dark is accessible on a dark screen.
func dark(o *tab) []string {
	o.look(view{width: 1440, dark: true})
	return accessible(o)
}
