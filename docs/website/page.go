package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// page is a Markdown file.
type page struct {
	path     string // in the repository
	source   []byte
	doc      ast.Node
	title    string // its first heading
	headings []heading
	links    []string // paths of the pages that it leads to
}

// heading begins a section of a page.
type heading struct {
	ID, Text string
	level    int
	node     ast.Node
}

// address returns the path of a file in the site. The files of docs come first; the rest of the
// repository is in a directory of its own.
func address(file string) string {
	at, ok := strings.CutPrefix(file, "docs/")
	if !ok {
		at = "repository/" + file
	}
	if path.Base(at) == "README.md" {
		return path.Join(path.Dir(at), "index.html")
	}
	if name, ok := strings.CutSuffix(at, ".md"); ok {
		return name + ".html"
	}
	return at
}

// readPages parses every Markdown file of the repository but outputs and test data.
func readPages(repository fs.FS) (map[string]*page, error) {
	pages := map[string]*page{}
	return pages, fs.WalkDir(repository, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." &&
			(d.Name()[0] == '.' || slices.Contains([]string{"dist", "node_modules", "site", "testdata"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() || path.Ext(file) != ".md":
			return nil
		}
		source, err := fs.ReadFile(repository, file)
		if err != nil {
			return err
		}
		pages[file], err = parse(file, source)
		return err
	})
}

// parse parses a page, and gives each heading the anchor that it has on the forge.
func parse(file string, source []byte) (*page, error) {
	p := &page{path: file, source: source, doc: markdown.Parser().Parse(text.NewReader(source))}
	seen := map[string]int{}
	level := 0
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		if h.Level > level+1 || h.Level == 1 && level > 0 {
			return nil, fmt.Errorf("%s: a heading of level %d follows one of level %d: a page has one title, and no "+
				"level is omitted", p.at(n), h.Level, level)
		}
		level = h.Level
		title := p.plain(n)
		id := anchor(title)
		if seen[id]++; seen[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, seen[id]-1)
		}
		h.SetAttributeString("id", []byte(id))
		p.headings = append(p.headings, heading{id, title, h.Level, n})
	}
	if level == 0 {
		return nil, fmt.Errorf("%s: begin it with a heading, which names the page", file)
	}
	p.title = p.headings[0].Text
	return p, nil
}

// anchor is the anchor of a heading on GitHub.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// plain returns the text of a node as a reader sees it, blocks and cells apart by a space.
func (p *page) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it returns what the function does: nil
		switch n := n.(type) {
		case *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				b.Write(n.Value(p.source))
			} else if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(p.source))
			}
		default:
			if n.Type() != ast.TypeBlock {
				break
			}
			if entering && n.IsRaw() {
				b.Write(n.Lines().Value(p.source))
			}
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// at returns where a node begins: file and line.
func (p *page) at(n ast.Node) string {
	for n != nil && n.Pos() < 0 {
		n = n.Parent()
	}
	line := 1
	if n != nil {
		line += strings.Count(string(p.source[:n.Pos()]), "\n")
	}
	return fmt.Sprintf("%s:%d", p.path, line)
}
