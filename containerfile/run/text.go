package run

import (
	"cmp"
	"path"
	"strconv"
	"strings"
)

// texts returns the text of files, or of the input where none is named.
func (r *runner) texts(names []string, input func() string) string {
	if len(names) == 0 {
		return input()
	}
	var all strings.Builder
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			failAt(name, "option %s is not supported", name)
		}
		all.WriteString(r.readText(name))
	}
	return all.String()
}

// lines is texts for a command that reads lines: the last one of a file does not go on in the next.
func (r *runner) lines(names []string, input func() string) string {
	var all strings.Builder
	for i := range max(len(names), 1) {
		text := r.texts(names[min(i, len(names)):min(i+1, len(names))], input)
		if all.Len() > 0 && !strings.HasSuffix(all.String(), "\n") && text != "" {
			all.WriteString("\n")
		}
		all.WriteString(text)
	}
	return all.String()
}

// eachLine calls do for every line of a text, which has no characters but those of ASCII, and
// returns what it returns.
func eachLine(text string, do func(line string) (string, bool)) string {
	for _, c := range []byte(text) {
		if c >= 0x80 || c == 0 {
			fail("the text has characters that are not of ASCII")
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		if now, keep := do(line); keep {
			b.WriteString(now)
			if end {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// ended adds the new line that a text lacks at its end.
func ended(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func cat(r *runner, _ options, names []string, input func() string) string {
	return r.texts(names, input)
}

func basename(_ *runner, _ options, words []string, _ func() string) string {
	if len(words) == 0 || len(words) > 2 || strings.HasPrefix(words[0], "-") || words[0] == "" {
		fail("basename is supported with a path and an ending only")
	}
	base := path.Base(words[0])
	if len(words) == 2 && base != words[1] {
		base = strings.TrimSuffix(base, words[1])
	}
	return base + "\n"
}

func dirname(_ *runner, _ options, words []string, _ func() string) string {
	if len(words) != 1 || strings.HasPrefix(words[0], "-") || words[0] == "" {
		fail("dirname is supported with one path only")
	}
	dir, _ := path.Split(strings.TrimRight(words[0], "/"))
	switch trimmed := strings.TrimRight(dir, "/"); {
	case trimmed != "":
		return trimmed + "\n"
	case strings.HasPrefix(words[0], "/"):
		return "/\n"
	}
	return ".\n"
}

// cut is cut -cFROM-TO and cut -dX -fN.
func cut(r *runner, o options, names []string, input func() string) string {
	text := ended(r.lines(names, input))
	switch by := o["d"]; {
	case o.has("c") && !o.has("d", "f"):
		from, to, dash := strings.Cut(o["c"], "-")
		first, err := strconv.ParseUint(cmp.Or(from, "1"), 10, 16)
		last := uint64(1 << 20)
		if !dash {
			last = first
		} else if to != "" && err == nil {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || first == 0 || last < first || from+to == "" {
			fail("cut -c %s is not supported: write -cFROM-TO", o["c"])
		}
		return eachLine(text, func(line string) (string, bool) {
			return line[min(int(first)-1, len(line)):min(int(last), len(line))], true
		})
	case o.has("f") && !o.has("c") && (!o.has("d") || len(by) == 1):
		n, err := strconv.ParseUint(o["f"], 10, 16)
		if err != nil || n == 0 {
			fail("cut -f %s is not supported: write one number", o["f"])
		}
		return eachLine(text, func(line string) (string, bool) {
			fields := strings.Split(line, cmp.Or(by, "\t"))
			switch {
			case len(fields) == 1:
				return line, true
			case int(n) > len(fields):
				return "", true
			}
			return fields[n-1], true
		})
	}
	fail("cut is supported with -c, or -d and -f, only")
	return ""
}

// head is head -n N.
func head(r *runner, _ options, words []string, input func() string) string {
	if len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "0123456789") == "" {
		words = append([]string{"-n", words[0][1:]}, words[1:]...)
	}
	o, names, err := command{letters: "n:", most: 1}.parse(words)
	check(err)
	left, err := strconv.ParseUint(cmp.Or(o["n"], "10"), 10, 16)
	if err != nil || o.has("n") && o["n"] == "" {
		fail("head -n %s is not a number", o["n"])
	}
	return eachLine(r.lines(names, input), func(line string) (string, bool) {
		if left == 0 {
			return "", false
		}
		left--
		return line, true
	})
}

// awk is awk '{print $N}'.
func awk(r *runner, _ options, words []string, input func() string) string {
	if len(words) == 0 {
		fail("awk has no program")
	}
	program := strings.Join(strings.Fields(strings.NewReplacer("{", " { ", "}", " } ", ";", " ").Replace(words[0])),
		" ")
	number, ok := strings.CutPrefix(program, "{ print $")
	number, closed := strings.CutSuffix(number, " }")
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || !closed || err != nil || n == 0 {
		failAt(words[0], "awk is supported as awk '{print $N}' only")
	}
	return eachLine(ended(r.lines(words[1:], input)), func(line string) (string, bool) {
		if fields := strings.Fields(line); len(fields) >= int(n) {
			return fields[n-1], true
		}
		return "", true
	})
}

// grep is grep with a plain text, and -F.
func grep(r *runner, o options, args []string, input func() string) string {
	pattern := args[0]
	// a dot in the name of a file is meant as such, and matches what it is
	plain := o.has("F") || plainText(strings.ReplaceAll(pattern, ".", "x"))
	if !plain || pattern == "" || strings.Contains(pattern, "\n") {
		failAt(pattern, "grep is supported with a plain text only: write grep -F")
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
		failAt(pattern, "grep %s matches other lines, too, since . matches every character: write grep -F", pattern)
	case !some:
		failAt(pattern, "grep %s finds nothing", pattern)
	}
	return text
}

// plainText reports whether a text means itself in every kind of regular expression.
func plainText(text string) bool {
	return text != "" && !strings.ContainsAny(text, "\\.[]*^$+?(){}|\n")
}

// wildcard reports whether a line matches a pattern in which a dot matches every character.
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
