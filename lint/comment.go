package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
)

// comments returns what the comments of a file allow; its objects are numbered from first. A
// comment behind a field applies to its line. A comment on a line of its own applies to the next
// line that is not a comment or, if an object begins there, to all of the object.
func comments(f File, objects []workload.Object, first int) []*allow {
	if !strings.Contains(string(f.Text), allowComment) {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(string(f.Text), "\r\n", "\n"), "\n")
	begins := map[int]int{} // the object that begins on a line
	for n, o := range slices.Backward(objects) {
		begins[o.Pos().Line-1] = first + n
	}
	var all []*allow
	for _, d := range directives(f.Name, lines) {
		n, line := d.line, lines[d.line]
		pos := yamlfile.Pos{File: f.Name, Line: n + 1, Column: 1 + utf8.RuneCountInString(line[:d.start])}
		a := &allow{kind: "inSource", pos: pos}
		if words := strings.Fields(line[d.end:]); len(words) > 0 {
			a.rule, a.reason = words[0], strings.Join(words[1:], " ")
		}
		target, landing := n, -1
		if separator.MatchString(line[:d.start]) {
			target, landing = next(lines, n+1)
		}
		a.line, a.object = target+1, -1
		if object, ok := begins[landing]; ok {
			a.object = object
		}
		all = append(all, a)
	}
	return all
}

const allowComment = "slipway:allow"

var (
	comment   = lazyregexp.New(`#[ \t]*` + allowComment + `(?:[ \t]|$)`)
	mark      = lazyregexp.New(`\x{E0A0}(\d+)\x{E0A1}`)
	separator = lazyregexp.New(`^(?:---)?[ \t]*$`)
	skipped   = lazyregexp.New(`^(?:---)?[ \t]*(?:#.*)?$`)
)

// directive is a slipway:allow comment: where it begins in a line, and where the words behind do.
type directive struct{ line, start, end int }

// directives returns the first slipway:allow comment of each line. One begins a line or follows a
// blank, and is not in a value: those that may be comments are replaced by marks, of which the
// values of the file then have some.
func directives(name string, lines []string) []directive {
	var all []directive
	marked := slices.Clone(lines)
	for n, line := range lines {
		for _, at := range slices.Backward(comment.FindAllStringIndex(line, -1)) {
			if at[0] == 0 || line[at[0]-1] == ' ' || line[at[0]-1] == '\t' {
				marked[n] = fmt.Sprintf("%s#\uE0A0%d\uE0A1 %s", marked[n][:at[0]], len(all), marked[n][at[1]:])
				all = append(all, directive{n, at[0], at[1]})
			}
		}
	}
	inValue := map[string]bool{}
	for _, doc := range workload.Documents(name, []byte(strings.Join(marked, "\n"))) {
		for _, m := range mark.FindAllSubmatch(yamlfile.AppendJSON(nil, doc, nil), -1) {
			inValue[string(m[1])] = true
		}
	}
	var first []directive
	for n, d := range all {
		last := len(first) - 1
		switch {
		case inValue[strconv.Itoa(n)]:
		case last >= 0 && first[last].line == d.line:
			first[last] = d // further left
		default:
			first = append(first, d)
		}
	}
	return first
}

// next returns the line that a comment before line n applies to, which may be blank, and the next
// line that is neither blank nor a comment: if an object begins there, the comment applies to it.
func next(lines []string, n int) (target, landing int) {
	target = -1
	for ; n < len(lines); n++ {
		if !skipped.MatchString(lines[n]) {
			if target < 0 {
				target = n
			}
			return target, n
		}
		if target < 0 && !strings.HasPrefix(strings.TrimSpace(lines[n]), "#") {
			target = n
		}
	}
	return target, -1
}
