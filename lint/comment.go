package lint

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/workload"
)

// comments returns what the comments of a file allow; its objects are numbered from first. One beside a field is about that line, one on
// a line of its own about the next line that is no comment or, where an object begins there, about the whole object.
func comments(f File, objects []workload.Object, first int) []*allow {
	if !strings.Contains(string(f.Text), directive) {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(string(f.Text), "\r\n", "\n"), "\n")
	texts := scalars(lines, objects)
	var all []*allow
	for n, line := range lines {
		at := comment.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		start := at[2]
		column := 1 + utf8.RuneCountInString(line[:start])
		if slices.ContainsFunc(texts, func(s span) bool { return s.holds(n, column) }) {
			continue
		}
		words := strings.Fields(line[at[4]:at[5]])
		a := &allow{kind: "inSource", pos: workload.Pos{File: f.Name, Line: n + 1, Column: column}}
		if len(words) > 0 {
			a.rule, a.reason = words[0], strings.Join(words[1:], " ")
		}
		target, whole := n, false
		if separator.MatchString(line[:start]) {
			target, whole = next(lines, n+1)
		}
		object := slices.IndexFunc(objects, func(o workload.Object) bool { return whole && o.Pos().Line == target+1 })
		a.covers = func(l located) bool {
			if object >= 0 {
				return l.object == first+object
			}
			return l.File == f.Name && l.Line == target+1
		}
		all = append(all, a)
	}
	return all
}

const directive = "slipway:allow"

var (
	comment   = regexp.MustCompile(`(?:^|[ \t])(#[ \t]*` + directive + `(?:[ \t]|$))(.*)$`)
	separator = regexp.MustCompile(`^(?:---)?[ \t]*$`)
	skipped   = regexp.MustCompile(`^(?:---)?[ \t]*(?:#.*)?$`)
)

// next returns the line that a comment before n is about, and whether an object may begin there. Blank lines and the start of a document
// are passed over on the way to an object only, which is why a comment that a blank line parts from its field allows nothing.
func next(lines []string, n int) (target int, whole bool) {
	target = -1
	for ; n < len(lines); n++ {
		if skipped.MatchString(lines[n]) {
			if !strings.HasPrefix(strings.TrimSpace(lines[n]), "#") && target < 0 {
				target = n // a line without fields: what follows is an object, or nothing
			}
			continue
		}
		if target < 0 {
			target = n
		}
		return n, true
	}
	return target, false
}
