package makefile

import "strings"

// Expand replaces references to variables. Those of make's functions stay as they are, and those
// of variables that nothing defines.
func (m *File) Expand(s string) string {
	left, steps := maxExpanded, maxSteps
	return m.expanded(s, 0, &left, &steps)
}

func (m *File) expanded(s string, depth int, left, steps *int) string {
	const deepest = 20
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 || depth > deepest || *left <= 0 || *steps <= 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		inner, rest, ok := Reference(s[i:])
		switch {
		case strings.HasPrefix(s[i:], "$$"):
			b.WriteByte('$')
			rest = s[i+2:]
		case !ok:
			b.WriteByte('$')
			rest = s[i+1:]
		default:
			value, known := m.Values[inner]
			if !known || m.Keep != nil && m.Keep(inner) {
				b.WriteString(s[i : len(s)-len(rest)])
				break
			}
			value = m.expanded(value, depth+1, left, steps)
			*left -= len(value)
			*steps--
			b.WriteString(value)
		}
		s = rest
	}
	return b.String()
}

// Reference splits text that starts with $(…) or ${…} into the inner text and the rest.
func Reference(s string) (inner, rest string, ok bool) {
	if len(s) < 3 || s[1] != '(' && s[1] != '{' {
		return "", "", false
	}
	open, end := s[1], byte(')')
	if open == '{' {
		end = '}'
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return strings.TrimSpace(s[2:i]), s[i+1:], true
			}
		}
	}
	return "", "", false
}

// Value returns a variable, expanded; "" if it is not defined or not known without running make.
func (m *File) Value(name string) string {
	v := strings.TrimSpace(m.Expand(m.Values[name]))
	if strings.Contains(v, "$") {
		return ""
	}
	return v
}
