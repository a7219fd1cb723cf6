package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// repository is the one that these tests are in.
var repository = os.DirFS("../..")

// element is an element of a rendered page.
type element struct {
	name       string
	attributes map[string]string
	text       string // up to the next element
}

// elements parses a rendered page, whose every element must be closed in its place.
func elements(t *testing.T, name string, html []byte) (found []element) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return found
		case err != nil:
			t.Fatalf("%s is not HTML: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			found = append(found, e)
		case xml.CharData:
			if len(found) > 0 {
				found[len(found)-1].text += string(token)
			}
		}
	}
}

// pagesOf returns the elements of each page of a site.
func pagesOf(t *testing.T, files map[string][]byte) map[string][]element {
	t.Helper()
	pages := map[string][]element{}
	for name, content := range files {
		if path.Ext(name) == ".html" {
			pages[name] = elements(t, name, content)
		}
	}
	return pages
}

// once builds the site of this repository for all tests that only read it.
var once = sync.OnceValues(func() (map[string][]byte, error) { return build(repository) })

func docs(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestLinks checks what a browser would: that each link of each page leads to a file of the site
// and an element in it, that pages load only files of the site, and that links lead to all pages.
func TestLinks(t *testing.T) {
	files := docs(t)
	pages := pagesOf(t, files)
	if len(pages) < 100 {
		t.Fatalf("the site has only %d pages", len(pages))
	}
	leads := map[string][]string{} // to pages
	for name, found := range pages {
		for _, e := range found {
			for _, attribute := range []string{"href", "src", "action", "srcset", "poster", "data", "style"} {
				value, ok := e.attributes[attribute]
				if !ok || value == "data:," || e.name == "a" && strings.HasPrefix(value, "http") {
					continue
				}
				file, fragment, _ := strings.Cut(value, "#")
				to := path.Join(path.Dir(name), file)
				if file == "" {
					to = name
				}
				switch {
				case files[to] == nil:
					t.Errorf("%s: %s=%q of %s leads to no file of the site", name, attribute, value, e.name)
				case fragment != "" &&
					!slices.ContainsFunc(pages[to], func(e element) bool { return e.attributes["id"] == fragment }):
					t.Errorf("%s: %q leads to no element of %s", name, value, to)
				case e.name == "a" || e.name == "form":
					leads[name] = append(leads[name], to)
				}
			}
		}
	}
	seen := map[string]bool{"index.html": true}
	for queue := []string{"index.html"}; len(queue) > 0; queue = queue[1:] {
		for _, to := range leads[queue[0]] {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	for name := range pages {
		if !seen[name] {
			t.Errorf("no link leads from index.html to %s", name)
		}
	}
	err := fs.WalkDir(repository, "docs", func(file string, _ fs.DirEntry, err error) error {
		if path.Ext(file) == ".md" && files[address(file)] == nil {
			t.Errorf("%s is not in the site", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPages checks what readers with a keyboard or a screen reader need of each page.
func TestPages(t *testing.T) {
	for name, found := range pagesOf(t, docs(t)) {
		count, ids := map[string]int{}, map[string]int{}
		main, level := false, 0 // the headings of main come in order
		for _, e := range found {
			count[e.name]++
			if id := e.attributes["id"]; id != "" {
				ids[id]++
			}
			switch e.name {
			case "main":
				main = true
			case "nav":
				main = false
			case "table", "pre":
				count["scrolled"]++
			case "h1", "h2", "h3", "h4", "h5", "h6":
				n := int(e.name[1] - '0')
				if main && n > level+1 {
					t.Errorf("%s: %s follows a heading of level %d", name, e.name, level)
				}
				level = n
			}
			if e.attributes["tabindex"] == "0" {
				count["focused"]++
			}
		}
		for _, one := range []string{"header", "main", "nav", "h1", "title", "form"} {
			if count[one] != 1 {
				t.Errorf("%s has %d elements %s", name, count[one], one)
			}
		}
		if count["scrolled"] != count["focused"] {
			t.Errorf("%s: %d of %d tables and blocks of code can be scrolled with the keyboard", name, count["focused"],
				count["scrolled"])
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s has %d elements with id %s", name, n, id)
			}
		}
		if skip := found[slices.IndexFunc(found, func(e element) bool {
			return e.name == "body"
		})+1]; ids[strings.TrimPrefix(skip.attributes["href"], "#")] != 1 {
			t.Errorf("%s does not begin with a link to its content", name)
		}
	}
}

// TestFirstPage checks that the first page lists all guides without a script, in groups, and that
// the navigation of other pages has the same groups.
func TestFirstPage(t *testing.T) {
	files := docs(t)
	pages := pagesOf(t, files)
	for name, current := range map[string]string{
		"reference.html": "Reference", "adr/index.html": "Decisions",
		"repository/CONTRIBUTING.html": "Contributing",
	} {
		var listed []string
		for _, e := range pages[name][slices.IndexFunc(pages[name], func(e element) bool { return e.name == "nav" }):] {
			if e.name == "a" && !strings.HasPrefix(e.attributes["href"], "#") {
				listed = append(listed, path.Join(path.Dir(name), e.attributes["href"]))
			}
			if e.attributes["aria-current"] == "page" && strings.TrimSpace(e.text) != current {
				t.Errorf("%s is marked as %q", name, e.text)
			}
		}
		for file := range files {
			if path.Ext(file) == ".html" && path.Dir(file) == "." && file != "index.html" && file != "search.html" &&
				!slices.Contains(listed, file) {
				t.Errorf("the navigation of %s does not have %s: add it to a list of %s", name, file, first)
			}
		}
	}
}

func TestDeterministic(t *testing.T) {
	again, err := build(repository)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(docs(t), again, bytes.Equal) {
		t.Error("two sites of one repository differ")
	}
}

// TestWrite checks that a site replaces the one before, and that a mistake leaves that alone.
func TestWrite(t *testing.T) {
	root := t.TempDir()
	put := func(file, content string) {
		t.Helper()
		file = filepath.Join(root, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put("report/style.css", "")
	put("docs/README.md", "# A\n\n[b](b.md) ![c](c.svg)\n")
	put("docs/b.md", "# B\n")
	put("docs/c.svg", "<svg/>")
	put("site/old.html", "")
	site := filepath.Join(root, "site")
	if err := write(root, site); err == nil ||
		!strings.HasSuffix(err.Error(), "site has files, and is not a site: name another directory") {
		t.Errorf("a directory that is not a site: %v", err)
	}
	put("site/search-index.js", "")
	if err := write(root, site); err != nil {
		t.Fatal(err)
	}
	want := []string{"b.html", "c.svg", "index.html", "search-index.js", "search.html", "search.js", "style.css"}
	list := func() (names []string) {
		entries, err := os.ReadDir(site)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if got := list(); !slices.Equal(got, want) {
		t.Errorf("the site is %q, want %q", got, want)
	}
	put("docs/b.md", "# B\n\n[c](c.md)\n")
	if err := write(root, site); err == nil || !slices.Equal(list(), want) {
		t.Errorf("a dead link: %v; the site is %q", err, list())
	}
}

// TestMistakes checks what is refused, and where.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"file":      {"# B\n\ntext\n[c](c.md)\n", "docs/b.md:4: a link leads to docs/c.md, which does not exist"},
		"directory": {"# B\n\n[c](../c)\n", "docs/b.md:3: a link leads to c, which does not exist"},
		"outside":   {"# B\n\n[c](../../c)\n", "docs/b.md:3: a link leads to ../c, which does not exist"},
		"anchor": {
			"# B\n\n| a |\n|---|\n| [c](README.md#c) |\n",
			"docs/b.md:5: a link leads to #c of docs/README.md, which has no such heading",
		},
		"own": {
			"# B\n\n## C d\n\n[c](#c-e)\n",
			"docs/b.md:5: a link leads to #c-e of docs/b.md, which has no such heading",
		},
		"reference": {"# B\n\n[c]\n\n[c]: d.md\n", "docs/b.md:3: a link leads to docs/d.md"},
		"absolute": {
			"# B\n\n[c](/docs/README.md)\n",
			`docs/b.md:3: a link to "/docs/README.md" works in one place only`,
		},
		"scheme": {
			"# B\n\n[c](javascript:alert)\n",
			`docs/b.md:3: a link to "javascript:alert" works in one place only`,
		},
		"host": {"# B\n\n[c](//example.com/)\n", `docs/b.md:3: a link to "//example.com/" works in one place only`},
		"image": {
			"# B\n\n![c](https://example.com/c.png)\n",
			`docs/b.md:3: a link to "https://example.com/c.png" works in one place only`,
		},
		"no image": {"# B\n\n![c](c.png)\n", "docs/b.md:3: a link leads to docs/c.png, which does not exist"},
		"title":    {"text\n", "docs/b.md: begin it with a heading, which names the page"},
		"level":    {"# B\n\n### C\n", "docs/b.md:3: a heading of level 3 follows one of level 1"},
		"two":      {"# B\n\n# C\n", "docs/b.md:3: a heading of level 1 follows one of level 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := build(repo(c.page))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got: %v\nwant one line with: %s", err, c.want)
			}
		})
	}
	alone := repo("# B\n")
	alone["examples/x/README.md"] = &fstest.MapFile{Data: []byte("# X\n")}
	if _, err := build(alone); err == nil ||
		!strings.HasPrefix(err.Error(), "examples/x/README.md: no link leads to it from docs/README.md") {
		t.Errorf("a page that nothing links: %v", err)
	}
}

// repo is a repository whose docs/b.md is page.
func repo(page string) fstest.MapFS {
	return fstest.MapFS{
		"report/style.css": {},
		"docs/README.md":   {Data: []byte("# A\n\n## Why?\n\n- [b](b.md)\n")},
		"docs/b.md":        {Data: []byte(page)},
		"product/s.json":   {Data: []byte("{}")},
	}
}

// TestHostile checks that HTML is text, and that comments are not shown.
func TestHostile(t *testing.T) {
	const page = "# B `<i>` & <img src=x onerror=alert(1)>\n\n<script>alert(2)</script>\n\n<div " +
		"onclick=\"alert(3)\">\n\n" +
		"a <b onmouseover=alert(4)>bold</b> <http://example.com/\"onclick=alert(5)>\n\n<!-- hidden " +
		"-->\n\nb <!-- hidden --> c\n\n" +
		"| <iframe src=//example.com> |\n|---|\n| " +
		"`</td><script>` |\n\n```\n</code></pre><script>alert(6)</script>\n```\n\n" +
		"## \" onclick=\"alert(7)\n\n![\"><script>](../product/s.json \"t\\\"><script>\")\n"
	files, err := build(repo(page))
	if err != nil {
		t.Fatal(err)
	}
	html := string(files["b.html"])
	for _, e := range elements(t, "b.html", files["b.html"]) {
		if slices.Contains([]string{"script", "iframe", "b", "i", "div"}, e.name) && e.attributes["class"] != "wide" {
			t.Errorf("the page has an element %s", e.name)
		}
		for name := range e.attributes {
			if strings.HasPrefix(name, "on") {
				t.Errorf("an element %s has an attribute %s", e.name, name)
			}
		}
	}
	for _, want := range []string{
		"&lt;script&gt;alert(2)", "&lt;div onclick",
		"&lt;b onmouseover=alert(4)&gt;bold&lt;/b&gt;", "b  c",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not have %q:\n%s", want, html)
		}
	}
	if strings.Contains(html, "hidden") {
		t.Errorf("the page shows a comment:\n%s", html)
	}
	if index := string(files["search-index.js"]); strings.Contains(index, "</script>") ||
		strings.Contains(index, "<!--") {
		t.Errorf("the index of search ends its script: %s", index)
	}
}

// TestTargets checks where links lead: to pages, to files of docs, and to the forge.
func TestTargets(t *testing.T) {
	r := repo("# B\n\n## C, d: `e_f`!\n\n## C d e_f\n\n[1](#c-d-e_f) [2](#c-d-e_f-1) " +
		"[3](README.md#why) [4](x/y.yaml) " +
		"[5](../product/s.json) [6](../product) [7](x) [8](../CONTRIBUTING.md) [9](https://example.com/)\n")
	r["docs/x/y.yaml"] = &fstest.MapFile{Data: []byte("a: b\n")}
	r["docs/x/README.md"] = &fstest.MapFile{Data: []byte("# X\n\n[1](../b.md#c-d-e_f)\n")}
	r["CONTRIBUTING.md"] = &fstest.MapFile{Data: []byte("# C\n")}
	files, err := build(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(files["x/y.yaml"]); got != "a: b\n" {
		t.Errorf("x/y.yaml has %q", got)
	}
	var got []string
	for _, e := range elements(t, "b.html", files["b.html"]) {
		if e.name == "a" && len(e.text) > 0 && e.text[0] >= '1' && e.text[0] <= '9' {
			got = append(got, e.attributes["href"])
		}
	}
	want := []string{
		"#c-d-e_f", "#c-d-e_f-1", "index.html#why", "x/y.yaml", forge + "/blob/main/product/s.json",
		forge + "/tree/main/product", "x/index.html", "repository/CONTRIBUTING.html", "https://example.com/",
	}
	if !slices.Equal(got, want) {
		t.Errorf("links lead to\n%q, want\n%q", got, want)
	}
	if x := string(files["x/index.html"]); !strings.Contains(x, `href="../b.html#c-d-e_f"`) ||
		!strings.Contains(x, `href="../style.css"`) {
		t.Errorf("a page of a directory:\n%s", x)
	}
}

// TestSearch runs search.js with the index of the site, as the page does.
func TestSearch(t *testing.T) {
	testprog.Need(t, "node")
	files := docs(t)
	queries := [][2]string{ // and what is found first
		{"floating tags", "names.html#when-do-floating-tags-move"},
		{"taints", "windows.html#keeping-linux-pods-off-taints-and-tolerations"},
		{"from ko", "migrating.html#from-ko"},
		{"windows-sub-path", "rules.html#windows-sub-path"},
		{"kms hsm", "signing.html#a-kms-an-hsm-a-token"},
		{"images[].dockerfile", "reference.html#imagesdockerfile"},
		{"split media", "bundles.html#split-for-media-of-limited-size"},
		{"tekton", "kubernetes.html#tekton"},
		{"VERSIONS git", "names.html#from-git"},
		{"reproduc", "reproduce.html"},
		{"gloss", "glossary.html"},
		{"time limit", "adr/0034-time-limits.html"},
		{"no words suchlike", ""},
		{"", ""},
	}
	var asked []string
	for _, q := range queries {
		asked = append(asked, q[0])
	}
	list, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "-")
	node.Stdin = strings.NewReader(string(files["search-index.js"]) + string(files["search.js"]) +
		"\nconsole.log(JSON.stringify(" + string(list) +
		".map(q => search(index, q).map(e => ({ url: e.URL, extract: " +
		"extract(e.Text, q) })))));\n")
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var found [][]struct{ URL, Extract string }
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	pages := pagesOf(t, files)
	for n, q := range queries {
		if len(found[n]) == 0 || q[1] == "" {
			if len(found[n]) > 0 || q[1] != "" {
				t.Errorf("%q finds %v", q[0], found[n])
			}
			continue
		}
		if found[n][0].URL != q[1] {
			t.Errorf("%q finds %v first, want %s", q[0], found[n][:min(5, len(found[n]))], q[1])
		}
		for _, f := range found[n] {
			file, id, anchored := strings.Cut(f.URL, "#")
			if len(f.Extract) > 1000 || anchored != slices.ContainsFunc(pages[file], func(e element) bool {
				return anchored && e.attributes["id"] == id
			}) {
				t.Errorf("%q finds %v", q[0], f)
			}
		}
	}
}
