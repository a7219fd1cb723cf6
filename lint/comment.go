package lint

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// comments returns what the comments of a file allow; its objects are numbered from first. A
// comment behind a field applies to its line. A comment on a line of its own applies to the next
// line that is not a comment or, if an object begins there, to all of the object.
func comments(f File, objects []workload.Object, first int) []*allow {
	if !strings.Contains(string(f.Text), directive) {
		return nil
	}
	lines := strings.Split(strings.ReplaceAll(string(f.Text), "\r\n", "\n"), "\n")
	texts := scalars(lines, objects)
	begins := map[int]int{} // the object that begins on a line
	for n, o := range slices.Backward(objects) {
		begins[o.Pos().Line-1] = first + n
	}
	var all []*allow
	for n, line := range lines {
		start, text := find(line, func(column int) bool { return texts.contain(n, column) })
		if start < 0 {
			continue
		}
		words := strings.Fields(text)
		a := &allow{kind: "inSource", pos: yamlfile.Pos{File: f.Name, Line: n + 1, Column: column(line, start)}}
		if len(words) > 0 {
			a.rule, a.reason = words[0], strings.Join(words[1:], " ")
		}
		target, landing := n, -1
		if separator.MatchString(line[:start]) {
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

const directive = "slipway:allow"

var (
	comment   = regexp.MustCompile(`#[ \t]*` + directive + `(?:[ \t]|$)`)
	separator = regexp.MustCompile(`^(?:---)?[ \t]*$`)
	skipped   = regexp.MustCompile(`^(?:---)?[ \t]*(?:#.*)?$`)
)

// find returns where a line's slipway:allow comment begins, -1 if it has none, and the text behind
// slipway:allow. A comment begins a line or follows a blank, outside of quoted texts (inText).
func find(line string, inText func(column int) bool) (start int, text string) {
	for _, at := range comment.FindAllStringIndex(line, -1) {
		if at[0] > 0 && line[at[0]-1] != ' ' && line[at[0]-1] != '\t' || inText(column(line, at[0])) {
			continue
		}
		return at[0], line[at[1]:]
	}
	return -1, ""
}

// column returns the column of a byte of a line; the first column is 1.
func column(line string, n int) int { return 1 + utf8.RuneCountInString(line[:n]) }

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
