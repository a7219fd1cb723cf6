package maintainer

import (
	"fmt"
	"regexp"
	"strings"
)

// expression compiles a regular expression of POSIX as GNU's grep and sed read it: basic, or
// extended. Go's matches take time in proportion to the text.
func expression(re string, extended, fold bool) (*regexp.Regexp, error) {
	text, err := translated(re, extended)
	if err != nil {
		return nil, err
	}
	if fold {
		text = "(?i)" + text
	}
	x, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the expression %s is not known here", re)
	}
	x.Longest()
	return x, nil
}

// translated writes an expression as Go has it.
func translated(re string, extended bool) (string, error) {
	var b strings.Builder
	start := true // of an expression, where * is itself in a basic one
	for n := 0; n < len(re); n++ {
		c := re[n]
		begins := start
		start = false
		switch {
		case c == '[':
			set, end, err := bracket(re, n)
			if err != nil {
				return "", err
			}
			b.WriteString(set)
			n = end
		case c == '\\' && n+1 < len(re):
			n++
			text, opens, err := escaped(re[n], extended)
			if err != nil {
				return "", fmt.Errorf("the expression %s is not known here: %w", re, err)
			}
			b.WriteString(text)
			start = opens
		case c == '\\':
			b.WriteString(`\\`)
		case extended && (c == '(' || c == '|'):
			b.WriteByte(c)
			start = true
		case extended, c == '.':
			b.WriteByte(c)
		case c == '*' && begins, c == '+', c == '?', c == '|', c == '(', c == ')', c == '{', c == '}':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '^' && !begins:
			b.WriteString(`\^`)
		case c == '^':
			b.WriteByte(c)
			start = true
		case c == '$' && n+1 < len(re) && !strings.HasPrefix(re[n+1:], `\)`) && !strings.HasPrefix(re[n+1:], `\|`):
			b.WriteString(`\$`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// escaped translates a character after a backslash. opens reports whether an expression begins
// after it.
func escaped(c byte, extended bool) (text string, opens bool, err error) {
	switch {
	case strings.IndexByte("(){}|+?", c) >= 0:
		if extended {
			return `\` + string(c), false, nil
		}
		return string(c), c == '(' || c == '|', nil
	case c == '<' || c == '>' || c == 'b':
		return `\b`, false, nil
	case strings.IndexByte("wWsSB", c) >= 0:
		return `\` + string(c), false, nil
	case c == 'n':
		return `\n`, false, nil
	case c == 't':
		return `\t`, false, nil
	case c >= '1' && c <= '9':
		return "", false, fmt.Errorf("\\%c refers back", c)
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return "", false, fmt.Errorf("\\%c", c)
	}
	if c >= 0x80 || c == '\n' {
		return string(c), false, nil
	}
	return regexp.QuoteMeta(string(c)), false, nil
}

// bracket translates a set that begins at n. It returns where it ends.
func bracket(re string, n int) (string, int, error) {
	end := n + 1
	if end < len(re) && re[end] == '^' {
		end++
	}
	if end < len(re) && re[end] == ']' {
		end++
	}
	for end < len(re) && re[end] != ']' {
		if re[end] == '[' && end+1 < len(re) && strings.IndexByte(":.=", re[end+1]) >= 0 {
			closing := strings.Index(re[end+2:], string(re[end+1])+"]")
			if closing < 0 {
				return "", 0, fmt.Errorf("the expression %s does not end", re)
			}
			end += closing + 3
		}
		end++
	}
	if end >= len(re) {
		return "", 0, fmt.Errorf("the expression %s does not end", re)
	}
	inner := re[n+1 : end]
	not := strings.HasPrefix(inner, "^")
	inner = strings.TrimPrefix(inner, "^")
	var b strings.Builder
	b.WriteByte('[')
	if not {
		b.WriteByte('^')
	}
	for k := 0; k < len(inner); k++ {
		switch c := inner[k]; {
		case c == '[' && strings.HasPrefix(inner[k:], "[:"):
			closing := strings.Index(inner[k:], ":]")
			b.WriteString(inner[k : k+closing+2])
			k += closing + 1
		case c == '[' && k+1 < len(inner) && (inner[k+1] == '.' || inner[k+1] == '='):
			return "", 0, fmt.Errorf("the set [%s] is not known here", inner)
		case c == '\\' && k+1 < len(inner) && (inner[k+1] == 'n' || inner[k+1] == 't'): // as sed does
			b.WriteString(inner[k : k+2])
			k++
		case strings.IndexByte(`\[]^&~`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(']')
	return b.String(), end, nil
}
