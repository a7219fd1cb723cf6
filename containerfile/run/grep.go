package run

import "strings"

// grep is grep with a plain text, and -F.
func grep(r *runner, o options, args []string, input func() string) string {
	pattern := args[0]
	// a dot in the name of a file is meant as such, and matches what it is
	plain := o.has("F") || plainText(strings.ReplaceAll(pattern, ".", "x"))
	if !plain || pattern == "" || strings.Contains(pattern, "\n") {
		failAt(pattern, "grep is known here with a plain text only: write grep -F")
	}
	if len(args) > 2 {
		fail("grep in several files prints their names: write a command for each")
	}
	dots := !o.has("F") && strings.Contains(pattern, ".")
	some, odd := false, false
	text := ended(eachLine(r.lines(args[1:], input), func(line string) (string, bool) {
		match := strings.Contains(line, pattern)
		odd = odd || dots && !match && wildcard(line, pattern)
		some = some || match
		return line, match
	}))
	switch {
	case odd:
		failAt(pattern, "grep %s matches other lines, too, since . stands for every character: write grep -F", pattern)
	case !some:
		failAt(pattern, "grep %s finds nothing", pattern)
	}
	return text
}

// plainText reports whether a text means itself in every kind of regular expression.
func plainText(text string) bool {
	return text != "" && !strings.ContainsAny(text, "\\.[]*^$+?(){}|\n")
}

// wildcard reports whether a line has a pattern in which a dot stands for every character.
func wildcard(line, pattern string) bool {
	for i := 0; i+len(pattern) <= len(line); i++ {
		ok := true
		for k := range len(pattern) {
			ok = ok && (pattern[k] == '.' || pattern[k] == line[i+k])
		}
		if ok {
			return true
		}
	}
	return false
}
