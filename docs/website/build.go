package main

import (
	"bytes"
	_ "embed" // page.html, style.css and search.js
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// first is the page that lists all others.
const first = "docs/README.md"

//go:embed page.html
var pageHTML string

//go:embed style.css
var style []byte

//go:embed search.js
var script []byte

var layout = template.Must(template.New("").Parse(pageHTML))

// markdown is Markdown as the forge has it, but HTML is text, and so is a URL without a link: of
// code such as example.com/module@v1.2.3 the forge makes an address of mail.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.TaskList,
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 1))),
)

// view is what page.html shows.
type view struct {
	Root  string // the path to the site's directory
	Title string
	Body  template.HTML
	Home  bool // whether it is the first page
	Nav   []group
	Find  bool // whether it is the page of search results
}

// build makes the site of a repository: the contents of its files by their paths.
func build(repository fs.FS) (map[string][]byte, error) {
	pages, err := readPages(repository)
	if err != nil {
		return nil, err
	}
	if pages[first] == nil {
		return nil, fmt.Errorf("%s does not exist: write it, with links to all pages", first)
	}
	s := &site{repository, pages, lists(pages), map[string][]byte{}}
	var errs []error
	for _, file := range s.sorted() {
		errs = append(errs, s.link(pages[file]))
	}
	if err := errors.Join(append(errs, s.reachable(first))...); err != nil {
		return nil, err
	}
	for _, file := range s.sorted() {
		if err := s.render(pages[file]); err != nil {
			return nil, err
		}
	}
	return s.files, s.assets()
}

// sorted lists the pages in the order of their paths, the first one first.
func (s *site) sorted() []string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(s.pages)), func(f string) bool { return f == first })
	return append([]string{first}, names...)
}

func (s *site) render(p *page) error {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, p.doc); err != nil {
		return fmt.Errorf("rendering %s: %w", p.path, err)
	}
	return s.show(p.path, view{Title: p.title, Body: template.HTML(body.String())}) // rendered above, with HTML escaped
}

// show writes a page into the layout.
func (s *site) show(file string, v view) error {
	v.Root, v.Home, v.Nav = relative(file, "."), file == first, s.navigation(file)
	var b bytes.Buffer
	if err := layout.Execute(&b, v); err != nil {
		return fmt.Errorf("rendering %s: %w", file, err)
	}
	s.files[address(file)] = b.Bytes()
	return nil
}

// assets adds what pages load: the style, which begins with that of a release's page, and search.
func (s *site) assets() error {
	base, err := fs.ReadFile(s.repository, "report/style.css")
	if err != nil {
		return fmt.Errorf("reading the style of a release's page: %w", err)
	}
	s.files["style.css"] = slices.Concat(base, style)
	index, err := json.Marshal(s.index()) // escapes what would end a script
	if err != nil {
		return err
	}
	s.files[indexFile] = slices.Concat([]byte("const index = "), index, []byte(";\n"))
	s.files["search.js"] = script
	return s.show("docs/search.md", view{Title: "Search", Find: true})
}
