package main

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// indexFile has the index for search.js.
const indexFile = "search-index.js"

// entry is a section as search.js finds it.
type entry struct {
	Page, Section, URL, Text string
}

// index lists the sections of all pages.
func (s *site) index() (entries []entry) {
	for _, file := range s.sorted() {
		p := s.pages[file]
		for n, h := range p.headings {
			var end ast.Node
			if n+1 < len(p.headings) {
				end = p.headings[n+1].node
			}
			e := entry{Page: p.title, URL: address(file)}
			if n > 0 {
				e.Section, e.URL = h.Text, e.URL+"#"+h.ID
			}
			var words []string
			for at := h.node.NextSibling(); at != nil && at != end; at = at.NextSibling() {
				words = append(words, p.plain(at))
			}
			e.Text = strings.Join(words, " ")
			entries = append(entries, e)
		}
	}
	return entries
}
