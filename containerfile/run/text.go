package run

import (
	"path"
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
			failAt(name, "option %s is not known here", name)
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
		fail("basename is known here with a path and an ending only")
	}
	base := path.Base(words[0])
	if len(words) == 2 && base != words[1] {
		base = strings.TrimSuffix(base, words[1])
	}
	return base + "\n"
}

func dirname(_ *runner, _ options, words []string, _ func() string) string {
	if len(words) != 1 || strings.HasPrefix(words[0], "-") || words[0] == "" {
		fail("dirname is known here with one path only")
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
