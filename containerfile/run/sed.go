package run

import (
	"errors"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
)

type substitution struct {
	old, now string
	all      bool
}

// parseSed reads a script of s commands, separated by ; or new lines.
func parseSed(text string) ([]substitution, error) {
	var list []substitution
	for text = strings.TrimLeft(text, " ;\n"); text != ""; text = strings.TrimLeft(text, " ;\n") {
		if len(text) < 2 || text[0] != 's' || strings.IndexByte("\\\n", text[1]) >= 0 {
			return nil, mistake.At(text, "sed %s: only s/TEXT/TEXT/ is supported", text)
		}
		by := text[1]
		var parts [2]string
		rest := text[2:]
		for n := range parts {
			end := 0
			for end < len(rest) && rest[end] != by {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(rest) {
				return nil, mistake.At(text, "sed %s does not end: write it as s/TEXT/TEXT/", text)
			}
			part, ok := unescape(rest[:end], by, n == 1)
			if !ok {
				return nil, mistake.At(text, "sed %s: only a plain text is supported, without patterns", text)
			}
			parts[n], rest = part, rest[end+1:]
		}
		s := substitution{old: parts[0], now: parts[1]}
		if s.all = strings.HasPrefix(rest, "g"); s.all {
			rest = rest[1:]
		}
		if s.old == "" || rest != "" && strings.IndexByte(";\n", rest[0]) < 0 {
			return nil, mistake.At(text, "sed %s: only s/TEXT/TEXT/ and s/TEXT/TEXT/g are known here", text)
		}
		list, text = append(list, s), rest
	}
	if len(list) == 0 {
		return nil, errors.New("sed has an empty script")
	}
	return list, nil
}

// unescape returns the text that a part of s/…/…/ means, if it is plain.
func unescape(part string, by byte, replacement bool) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		c := part[i]
		switch {
		case c == '\\':
			if i++; i == len(part) || strings.IndexByte(`./*[]$^&-`+"\\", part[i]) < 0 || part[i] == by && by != '/' ||
				replacement && strings.IndexByte("./&\\-", part[i]) < 0 || !replacement && part[i] == '&' {
				return "", false
			}
			b.WriteByte(part[i])
		case replacement && c == '&', c >= 0x80, c == '\n', !replacement && strings.IndexByte(".[]*^$+?(){}|", c) >= 0:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// scripts returns the substitutions and the files of a sed.
func scripts(o options, args []string) ([]substitution, []string, error) {
	text := o["e"]
	if !o.has("e") {
		text, args = args[0], args[1:]
	}
	list, err := parseSed(text)
	return list, args, err
}

func checkSed(o options, args []string) error {
	_, files, err := scripts(o, args)
	if err == nil && o.has("i") && len(files) == 0 {
		return errors.New("sed -i names no file")
	}
	return err
}

func edit(text string, list []substitution) string {
	return eachLine(text, func(line string) (string, bool) {
		for _, s := range list {
			n := 1
			if s.all {
				n = -1
			}
			line = strings.Replace(line, s.old, s.now, n)
		}
		return line, true
	})
}

// edited is what sed prints.
func edited(r *runner, o options, args []string, input func() string) string {
	list, names, err := scripts(o, args)
	check(err)
	if o.has("i") {
		fail("sed -i prints nothing")
	}
	return edit(r.lines(names, input), list)
}

// sed is sed with plain substitutions: s/TEXT/TEXT/ and s/TEXT/TEXT/g.
func sed(r *runner, o options, args []string) {
	if !o.has("i") {
		printed(r, o, args)
		return
	}
	if c := r.command(); c.Output != nil || c.Input != nil {
		fail("sed -i neither reads nor prints: leave the redirection out")
	}
	list, names, err := scripts(o, args)
	check(err)
	for _, name := range names {
		s := r.file(name, false)
		if s.n.Mode&special != 0 {
			fail("%s has setuid, setgid or sticky, which stay or go by the sed: use chmod before and after", name)
		}
		if dir := r.lstat(path.Dir(s.p)); dir != nil && inherit(dir, s.n) != s.n {
			fail("%s is in a directory with the setgid bit, where its group stays or changes by the sed", name)
		}
		r.set(s.p, withContent(s.n, []byte(edit(r.readText(name), list))))
	}
}
