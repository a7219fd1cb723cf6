package main

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// blocks renders what differs from goldmark's HTML: tables and code can be scrolled with the
// keyboard, comments are omitted, and other HTML is shown as it is written.
type blocks struct{}

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(table.KindTable,
		func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				p := page{source: source}
				_, err := fmt.Fprintf(w,
					"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: %s\"><table>\n",
					util.EscapeHTML([]byte(p.plain(n.FirstChild()))))
				return ast.WalkContinue, err
			}
			_, err := w.WriteString("</table></div>\n")
			return ast.WalkContinue, err
		})
	code := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code>%s</code></pre>\n",
			util.EscapeHTML(n.Lines().Value(source)))
		return ast.WalkSkipChildren, err
	}
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindFencedCodeBlock, code)
	escape := func(w util.BufWriter, html []byte, around string) (ast.WalkStatus, error) {
		if bytes.HasPrefix(bytes.TrimSpace(html), []byte("<!--")) {
			return ast.WalkSkipChildren, nil
		}
		_, err := fmt.Fprintf(w, around, util.EscapeHTML(html))
		return ast.WalkSkipChildren, err
	}
	r.Register(ast.KindRawHTML,
		func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			return escape(w, n.(*ast.RawHTML).Segments.Value(source), "%s")
		})
	r.Register(ast.KindHTMLBlock,
		func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			html := n.Lines().Value(source)
			if b := n.(*ast.HTMLBlock); b.HasClosure() {
				html = append(html, b.ClosureLine.Value(source)...)
			}
			return escape(w, html, "<p>%s</p>\n")
		})
}
