package lint

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/workload"
)

// span is a part of a file that may have several lines. Lines count from 0, columns from 1.
type span struct{ line, column, lastLine, lastColumn int }

func (s span) contains(line, column int) bool {
	return (line > s.line || line == s.line && column >= s.column) && (line < s.lastLine || line == s.lastLine && column <= s.lastColumn)
}

// spans are sorted and do not overlap.
type spans []span

// contain reports whether a character is in one of the spans.
func (s spans) contain(line, column int) bool {
	n, _ := slices.BinarySearchFunc(s, span{line: line, column: column + 1}, compareSpans)
	return n > 0 && s[n-1].contains(line, column)
}

func compareSpans(a, b span) int {
	return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
}

// scalars returns the texts in which "#" does not begin a comment: those in quotes, and blocks
// after | and >.
func scalars(lines []string, objects []workload.Object) spans {
	s := &scalarFinder{lines: lines, seen: map[*yaml.Node]bool{}}
	for _, o := range objects {
		s.node(o.Node, -1)
	}
	slices.SortFunc(s.spans, compareSpans)
	return s.spans
}

type scalarFinder struct {
	lines []string
	seen  map[*yaml.Node]bool // values that aliases share
	spans spans
}

// node adds the texts of a value whose block would be indented by more than indent characters.
func (s *scalarFinder) node(n *yaml.Node, indent int) {
	if s.seen[n] || n.Line < 1 || n.Line > len(s.lines) {
		return
	}
	s.seen[n] = true
	if line := []rune(s.lines[n.Line-1]); n.Column >= 1 && n.Column <= len(line) && line[n.Column-1] == '*' {
		return // an alias; its value is elsewhere
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.node(n.Content[i], indent)
			s.node(n.Content[i+1], n.Content[i].Column-1)
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			s.node(c, n.Column-1)
		}
	case yaml.ScalarNode:
		switch {
		case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
			s.block(n, indent)
		case n.Style&yaml.DoubleQuotedStyle != 0:
			s.quoted(n, '"')
		case n.Style&yaml.SingleQuotedStyle != 0:
			s.quoted(n, '\'')
		}
	}
}

// block adds a block, which ends before the first line that is indented less than its first line.
// The line with the | is not part of it.
func (s *scalarFinder) block(n *yaml.Node, indent int) {
	last, own := n.Line-1, -1
	for l := n.Line; l < len(s.lines); l++ {
		text := strings.TrimLeft(s.lines[l], " ")
		if text == "" {
			continue
		}
		deep := len(s.lines[l]) - len(text)
		if own < 0 {
			own = deep
			if head := []rune(s.lines[n.Line-1]); slices.ContainsFunc(head[min(n.Column-1, len(head)):], func(r rune) bool { return r >= '1' && r <= '9' }) {
				own = indent + 1 // a number gives the indentation, and the first line may be indented more
			}
		}
		if deep < own || deep <= indent {
			break
		}
		last = l
	}
	if last >= n.Line {
		s.spans = append(s.spans, span{n.Line, 1, last, 1 << 30})
	}
}

// quoted adds a text up to its closing quote.
func (s *scalarFinder) quoted(n *yaml.Node, quote rune) {
	open := false
	column := n.Column
	for l := n.Line - 1; l < len(s.lines); l++ {
		line := []rune(s.lines[l])
		for i := column - 1; i < len(line); i++ {
			switch {
			case !open:
				open = line[i] == quote // an anchor or a tag may precede it
			case quote == '"' && line[i] == '\\':
				i++
			case line[i] != quote:
			case quote == '\'' && i+1 < len(line) && line[i+1] == quote:
				i++
			default:
				s.spans = append(s.spans, span{n.Line - 1, n.Column, l, i + 1})
				return
			}
		}
		column = 1
	}
}
