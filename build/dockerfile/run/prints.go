package run

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
)

// printers are the commands whose output is known. Each gets its words and what is piped into it.
func printers() map[string]func(r *runner, words []string, in func() (string, error)) (string, error) {
	return map[string]func(r *runner, words []string, in func() (string, error)) (string, error){
		"echo": func(_ *runner, words []string, _ func() (string, error)) (string, error) { return echoed(words) },
		"printf": func(_ *runner, words []string, _ func() (string, error)) (string, error) {
			if len(words) == 0 {
				return "", errors.New("printf has no format")
			}
			return printed(words[0], words[1:])
		},
		"cat": concatenated, "cut": cut, "sed": edited, "grep": found, "head": head, "awk": field,
		"basename": func(_ *runner, words []string, _ func() (string, error)) (string, error) {
			if len(words) == 0 || len(words) > 2 || strings.HasPrefix(words[0], "-") || words[0] == "" {
				return "", errors.New("basename is known here with a path and an ending only")
			}
			base := path.Base(words[0])
			if len(words) == 2 && base != words[1] {
				base = strings.TrimSuffix(base, words[1])
			}
			return base + "\n", nil
		},
		"dirname": func(_ *runner, words []string, _ func() (string, error)) (string, error) {
			if len(words) != 1 || strings.HasPrefix(words[0], "-") || words[0] == "" {
				return "", errors.New("dirname is known here with one path only")
			}
			dir, _ := path.Split(strings.TrimRight(words[0], "/"))
			switch trimmed := strings.TrimRight(dir, "/"); {
			case trimmed != "":
				return trimmed + "\n", nil
			case strings.HasPrefix(words[0], "/"):
				return "/\n", nil
			}
			return ".\n", nil
		},
	}
}

// printer returns the function for a command, nil where its output is not known.
func printer(name string) func(r *runner, words []string, in func() (string, error)) (string, error) {
	return printers()[strings.TrimPrefix(strings.TrimPrefix(name, "/usr"), "/bin/")]
}

// prints returns what a command prints, with those that are piped into it.
func (r *runner) prints(c script.Command) (string, error) {
	name := c.Args[0].Text
	do := printer(name)
	if do == nil {
		return "", mistake.At(name, "%w", notPrinted(name))
	}
	var words []string
	for _, w := range c.Args[1:] {
		some, err := r.match(w)
		if err != nil {
			return "", err
		}
		words = append(words, some...)
	}
	text, err := do(r, words, func() (string, error) {
		if c.Input == nil {
			return "", errors.New("it has no input: pipe a command into it, or name a file")
		}
		return r.prints(*c.Input)
	})
	if err == nil && len(text) > maxSums {
		return "", fmt.Errorf("it prints more than %d bytes", maxSums)
	}
	return text, err
}

// files returns the text of files, or of the input where none is named.
func (r *runner) files(names []string, in func() (string, error)) (string, error) {
	if len(names) == 0 {
		return in()
	}
	var all strings.Builder
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			return "", mistake.At(name, "option %s is not known here", name)
		}
		text, err := r.readText(name)
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

// lines is files for a command that reads lines: the last one of a file does not go on in the next.
func (r *runner) lines(names []string, in func() (string, error)) (string, error) {
	var all strings.Builder
	for i := range max(len(names), 1) {
		text, err := r.files(names[min(i, len(names)):min(i+1, len(names))], in)
		if err != nil {
			return "", err
		}
		if all.Len() > 0 && !strings.HasSuffix(all.String(), "\n") && text != "" {
			all.WriteString("\n")
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

func concatenated(r *runner, words []string, in func() (string, error)) (string, error) {
	return r.files(words, in)
}

// eachLine calls do for every line of a text, which has no characters but those of ASCII, and
// returns what it returns.
func eachLine(text string, do func(line string) (string, bool)) (string, error) {
	for _, c := range []byte(text) {
		if c >= 0x80 || c == 0 {
			return "", errors.New("the text has characters that are not of ASCII")
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		end := ""
		if strings.HasSuffix(line, "\n") {
			end, line = "\n", line[:len(line)-1]
		}
		if now, keep := do(line); keep {
			b.WriteString(now + end)
		}
	}
	return b.String(), nil
}

// ended adds the new line that a text lacks at its end.
func ended(text string, err error) (string, error) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, err
}

// plainText reports whether a text means itself in every kind of regular expression.
func plainText(text string) bool {
	return text != "" && !strings.ContainsAny(text, "\\.[]*^$+?(){}|\n")
}

// found is grep with a plain text, and -F.
func found(r *runner, words []string, in func() (string, error)) (string, error) {
	t := tool{options: "FE", least: 1, most: many}
	o, args, err := t.parse(words)
	if err != nil {
		return "", err
	}
	pattern := args[0]
	// a dot in the name of a file is meant as such, and matches what it is
	if !o.has("F") && !plainText(strings.ReplaceAll(pattern, ".", "x")) || pattern == "" || strings.Contains(pattern, "\n") {
		return "", mistake.At(pattern, "grep is known here with a plain text only: write grep -F")
	}
	if len(args) > 2 {
		return "", errors.New("grep in several files prints their names: write a command for each")
	}
	text, err := r.lines(args[1:], in)
	if err != nil {
		return "", err
	}
	dots := !o.has("F") && strings.Contains(pattern, ".")
	some, odd := false, false
	text, err = ended(eachLine(text, func(line string) (string, bool) {
		match := strings.Contains(line, pattern)
		if dots && !match && wildcard(line, pattern) {
			odd = true
		}
		some = some || match
		return line, match
	}))
	switch {
	case err != nil:
		return "", err
	case odd:
		return "", mistake.At(pattern, "grep %s matches other lines, too, since . stands for every character: write grep -F", pattern)
	case !some:
		return "", mistake.At(pattern, "grep %s finds nothing", pattern)
	}
	return text, nil
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

// printing is the tool of a command that only prints.
func printing() tool {
	return tool{plain: true, most: many, prints: true, reads: true, run: func(r *runner, _ options, _ []string) error {
		text, err := r.prints(r.commands[r.at])
		if err != nil {
			return err
		}
		return r.print(text)
	}}
}
