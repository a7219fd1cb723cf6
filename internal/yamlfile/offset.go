package yamlfile

import (
	"bytes"
	"unicode/utf8"
)

// lineOffsets finds bytes by the lines and columns of the YAML parser.
type lineOffsets struct {
	src   []byte
	lines []int
}

// newLineOffsets finds where lines begin, with the line breaks of YAML 1.1.
func newLineOffsets(src []byte) lineOffsets {
	o := lineOffsets{src: src, lines: []int{0}}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		o.lines[0] = len("\ufeff") // a mark that parsers skip
	}
	for i := 0; i < len(src); {
		c, n := utf8.DecodeRune(src[i:])
		i += n
		if c == '\r' && i < len(src) && src[i] == '\n' {
			i++
		}
		switch c {
		case '\n', '\r', '\u0085', '\u2028', '\u2029':
			o.lines = append(o.lines, i)
		}
	}
	return o
}

// offset returns the offset of a position; the end of the file if it has no such line.
func (o lineOffsets) offset(p Pos) int {
	if p.Line > len(o.lines) {
		return len(o.src)
	}
	at := o.lines[p.Line-1]
	for range p.Column - 1 {
		_, n := utf8.DecodeRune(o.src[min(at, len(o.src)):])
		at += n
	}
	return min(at, len(o.src))
}

// findText returns the offset of the text of a scalar that begins at an offset with its anchor,
// tag, quote or block indicator.
func findText(src []byte, at int, text string) (int, bool) {
	skip := func(f func(byte) bool) {
		for at < len(src) && f(src[at]) {
			at++
		}
	}
	space := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
	for at < len(src) && (src[at] == '&' || src[at] == '!') {
		skip(func(c byte) bool { return !space(c) })
		skip(space)
	}
	if at == len(src) {
		return 0, false
	}
	switch src[at] {
	case '"', '\'':
		quote := src[at]
		at++
		end := at + len(text)
		return at, end < len(src) && string(src[at:end]) == text && src[end] == quote
	case '|', '>':
		skip(func(c byte) bool { return c != '\n' && c != '\r' })
		skip(space)
	}
	return at, bytes.HasPrefix(src[at:], []byte(text))
}
