package product

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// parseImageList reads images.txt: one reference, or ! and a pattern, per line; blank lines, and
// comments from a # to the end of the line. listed is the file as slipway.yaml names it, and args
// has the values of ${NAME}.
func parseImageList(m *yamlfile.Errors, file, listed string, b []byte,
	args map[string]string,
) (all []ThirdParty, removed []Removal) {
	first := map[string]yamlfile.Pos{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		n++
		line = withoutComment(line)
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		before, _, _ := strings.Cut(line, text)
		pos := yamlfile.Pos{File: file, Line: n, Column: utf8.RuneCountInString(before) + 1}
		if strings.ContainsAny(text, " \t\r") {
			m.At(pos, "more than one word on this line: write one reference per line")
			continue
		}
		from := fmt.Sprintf("%s:%d", listed, n)
		text, err := fillArgs(text, args)
		if err != nil {
			m.At(pos, "%v", err)
			continue
		}
		if pattern, ok := strings.CutPrefix(text, "!"); ok {
			if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
				m.At(pos, "malformed pattern %s: write ! and a reference or a repository, "+
					"in which * replaces any text but a slash", text)
			}
			removed = append(removed, Removal{pattern, pos, from})
			continue
		}
		ref, tag, err := parseReference(text)
		if err != nil {
			m.At(pos, "%v", err)
			continue
		}
		key := sameName(ref, tag)
		if p, ok := first[key]; ok {
			m.At(pos, "%s names the image of line %d again: keep one", text, p.Line)
			continue
		}
		first[key] = pos
		all = append(all, ThirdParty{Reference: ref, Text: text, Pos: pos, From: []string{from}})
	}
	return all, removed
}

// withoutComment removes a comment: a # at the start or after a space, and what follows.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

var argForm = lazyregexp.New(`\$(\{[A-Za-z_][A-Za-z0-9_]*\})?`)

// fillArgs puts the values of airgap.args in the place of ${NAME}. Other forms of a
// shell are not expanded.
func fillArgs(text string, args map[string]string) (string, error) {
	var wrong error
	full := argForm.ReplaceAllStringFunc(text, func(s string) string {
		name := strings.Trim(s, "${}")
		value, ok := args[name]
		switch {
		case name == "":
			wrong = fmt.Errorf("%s has a $ without a name: write ${NAME}, and its value under airgap.args", text)
		case !ok:
			wrong = fmt.Errorf("${%s} has no value: add it to airgap.args, or %s", name,
				yamlfile.Suggest(name, slices.Collect(maps.Keys(args))))
		}
		return value
	})
	return full, wrong
}
