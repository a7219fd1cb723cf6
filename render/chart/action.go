package chart

import (
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// action is an action of a template: {{ … }}.
type action struct {
	start, end int
	word       string // the first: if, include; "" for others, such as .Values.image
}

var actionWord = lazyregexp.New(`^\{\{-?\s*(\$\w*\s*:?=|[a-zA-Z]+\b|/\*)`)

// prints reports whether the action may make text.
func (a action) prints() bool {
	switch a.word {
	case "if", "else", "end", "range", "with", "define", "block", "break", "continue", "/*":
		return false
	}
	return !strings.HasSuffix(a.word, "=")
}

// opens reports whether the action needs an end.
func (a action) opens() bool {
	switch a.word {
	case "if", "range", "with", "define", "block":
		return true
	}
	return false
}

// scanActions returns the actions of a template that Helm's engine has read.
func scanActions(text string) []action {
	var all []action
	for at := 0; ; {
		start := strings.Index(text[at:], "{{")
		if start < 0 {
			return all
		}
		start += at
		a := action{start: start, end: actionEnd(text, start)}
		if m := actionWord.FindStringSubmatch(text[start:a.end]); m != nil {
			a.word = strings.ReplaceAll(m[1], " ", "")
		}
		all = append(all, a)
		at = a.end
	}
}

// actionEnd returns the offset behind an action that begins at start.
func actionEnd(text string, start int) int {
	at := start + 2
	if inner := strings.TrimLeft(strings.TrimPrefix(text[at:], "-"), " \t\r\n"); strings.HasPrefix(inner, "/*") {
		if end := strings.Index(text[at:], "*/"); end >= 0 {
			at += end
		}
	}
	for at < len(text) {
		switch c := text[at]; c {
		case '}':
			if strings.HasPrefix(text[at:], "}}") {
				return at + 2
			}
		case '"', '\'', '`':
			for at++; at < len(text) && text[at] != c; at++ {
				if text[at] == '\\' && c != '`' {
					at++
				}
			}
		}
		at++
	}
	return len(text)
}

// defined returns for each action whether it is in a named template, or begins or ends one.
func defined(all []action) []bool {
	in := make([]bool, len(all))
	depth, within := 0, 0 // within is the depth of the outermost define
	for i, a := range all {
		if a.opens() {
			if depth++; within == 0 && (a.word == "define" || a.word == "block") {
				within = depth
			}
		}
		in[i] = within > 0
		if a.word == "end" {
			if depth == within {
				within = 0
			}
			depth--
		}
	}
	return in
}
