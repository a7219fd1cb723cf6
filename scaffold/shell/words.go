package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

func (r *callReader) words(n *syntax.CallExpr) (words []string) {
	for _, w := range n.Args {
		words = append(words, r.word(w.Parts))
	}
	return words
}

var escaped = lazyregexp.New(`\\(.|\n)`)

func (r *callReader) word(parts []syntax.WordPart) string { return r.parts(parts, escaped) }

// inQuotes matches what a backslash escapes in double quotes.
var inQuotes = lazyregexp.New(`\\([$"\\` + "`" + `\n])`)

func (r *callReader) quoted(parts []syntax.WordPart) string { return r.parts(parts, inQuotes) }

// parts joins the parts of a word, up to a bound.
func (r *callReader) parts(parts []syntax.WordPart, escapes *lazyregexp.Regexp) string {
	var b strings.Builder
	for _, p := range parts {
		if b.Len() > maxValue {
			return "$*"
		}
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(escapes.ReplaceAllString(p.Value, "$1"))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(r.quoted(p.Parts))
		case *syntax.ParamExp:
			v, ok := r.values[p.Param.Value]
			if e := p.Exp; e != nil && (e.Op == syntax.DefaultUnset || e.Op == syntax.DefaultUnsetOrNull ||
				e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull) && e.Word != nil {
				if !ok {
					v, ok = r.parts(e.Word.Parts, escapes), true
				}
			} else if e != nil || p.Repl != nil || p.Slice != nil {
				ok = false
			}
			if ok && !strings.Contains(v, "$") {
				b.WriteString(v)
				continue
			}
			b.WriteString(r.source(p))
		default:
			b.WriteString(r.source(p))
		}
	}
	return b.String()
}

// source is a part as it stands.
func (r *callReader) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(r.text) {
		return "$*"
	}
	return r.text[from:to]
}

// Unknown reports whether a text has something that only make, a shell, a workflow or a release
// knows.
func Unknown(s string) bool { return strings.Contains(s, "$") || strings.Contains(s, "{{") }
