package main

import (
	"path"
	"slices"

	"github.com/yuin/goldmark/ast"
)

// list is a heading of the first page, and the pages to which the list below it leads.
type list struct {
	title string
	pages []*page
}

// lists reads the first page, whose links are still those of the file.
func lists(pages map[string]*page) (found []list) {
	home := pages[first]
	for n := home.doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			found = append(found, list{title: home.plain(n)})
		}
		if n.Kind() != ast.KindList || len(found) == 0 {
			continue
		}
		// it returns what the function does: nil
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if link, ok := n.(*ast.Link); ok && entering {
				if to := pages[path.Join(path.Dir(first), string(link.Destination))]; to != nil {
					found[len(found)-1].pages = append(found[len(found)-1].pages, to)
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return found
}

// group is a list as a page shows it.
type group struct {
	Title string
	Items []item
}

// item leads to a page.
type item struct {
	Title, URL string
	Current    bool
	Sections   []heading // of the current page
}

// navigation returns the lists for a page.
func (s *site) navigation(file string) (groups []group) {
	for _, l := range s.lists {
		g := group{Title: l.title}
		for _, to := range l.pages {
			i := item{Title: to.title, URL: relative(file, address(to.path)), Current: to.path == file}
			if i.Current {
				i.Sections = slices.DeleteFunc(slices.Clone(to.headings), func(h heading) bool { return h.level != 2 })
			}
			g.Items = append(g.Items, i)
		}
		groups = append(groups, g)
	}
	return groups
}
