package yamlfile

import (
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Extent returns where a scalar that was read from src begins and ends in it, with its quotes and
// without anchor and tag. ok is false if it has more than one line, or an alias is there. The
// extent of an empty value is the place behind its key.
func Extent(src []byte, n *yaml.Node) (start, end int, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Line < 1 || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return 0, 0, false
	}
	at := newLineOffsets(src).offset(Pos{Line: n.Line, Column: n.Column})
	if n.Value == "" && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		return at, at, n.Anchor == ""
	}
	for at < len(src) && (src[at] == '&' || src[at] == '!') {
		for at < len(src) && !unicode.IsSpace(rune(src[at])) {
			at++
		}
		for at < len(src) && src[at] == ' ' {
			at++
		}
	}
	if at >= len(src) {
		return 0, 0, false
	}
	end = at
	if q := src[at]; q == '"' || q == '\'' {
		for end++; end < len(src) && src[end] != q; end++ {
			if src[end] == '\n' {
				return 0, 0, false
			}
			if src[end] == '\\' && q == '"' {
				end++
			}
			if q == '\'' && end+1 < len(src) && src[end] == q && src[end+1] == q {
				end++
			}
		}
		end++
	} else {
		end += len(n.Value)
	}
	if end > len(src) {
		return 0, 0, false
	}
	var read yaml.Node
	same := utf8.Valid(src[at:end]) && yaml.Unmarshal(src[at:end], &read) == nil && len(read.Content) == 1 &&
		read.Content[0].Value == n.Value
	return at, end, same
}
