package maintainer

import (
	"slices"
	"strings"
)

// getopt is that of util-linux: it prints options in one order, quoted for the shell.
func getopt(c *call) (int, error) {
	short, long, words := "", "", []string(nil)
	args := c.args
	alternative := false
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		value := func() string {
			if _, v, ok := strings.Cut(w, "="); ok {
				return v
			}
			if len(args) == 0 {
				return ""
			}
			v := args[0]
			args = args[1:]
			return v
		}
		switch name, _, _ := strings.Cut(w, "="); name {
		case "-o", "--options":
			short = value()
		case "-l", "--long", "--longoptions":
			long += "," + value()
		case "-n", "--name", "-s", "--shell":
			value()
		case "-q", "--quiet", "-u", "--unquoted":
			return 0, unknownOption(w)
		case "-a", "--alternative":
			alternative = true
		case "-T", "--test":
			return 4, nil
		case "--":
			words, args = args, nil
		default:
			return 0, unknownOption(w)
		}
	}
	g := &optionReader{
		short: strings.TrimLeft(short, "+-"), long: strings.Split(long, ","), words: words, one: alternative,
	}
	status := g.read()
	if g.wrong != "" {
		c.Err.Printf("getopt: %s\n", g.wrong)
	}
	out := strings.Join(g.options, "") + " --" + strings.Join(g.rest, "")
	_, err := c.print(out + "\n")
	return status, err
}

type optionReader struct {
	short   string
	long    []string
	one     bool // long options may begin with one dash
	words   []string
	options []string
	rest    []string
	wrong   string
}

func quoted(s string) string { return " '" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (g *optionReader) read() int {
	status := 0
	for len(g.words) > 0 {
		w := g.words[0]
		g.words = g.words[1:]
		switch {
		case w == "--":
			for _, r := range g.words {
				g.rest = append(g.rest, quoted(r))
			}
			g.words = nil
		case strings.HasPrefix(w, "--"):
			if !g.word(w[2:]) {
				status = 1
			}
		case g.one && len(w) > 2 && w[0] == '-' && slices.ContainsFunc(g.long, func(l string) bool {
			name, _, _ := strings.Cut(w[1:], "=")
			return l != "" && strings.HasPrefix(l, name)
		}):
			if !g.word(w[1:]) {
				status = 1
			}
		case len(w) > 1 && w[0] == '-':
			if !g.cluster(w[1:]) {
				status = 1
			}
		default:
			g.rest = append(g.rest, quoted(w))
		}
	}
	return status
}

// word reads a long option, which may be abbreviated.
func (g *optionReader) word(w string) bool {
	name, value, has := strings.Cut(w, "=")
	found := ""
	for _, l := range g.long {
		full := strings.TrimRight(l, ":")
		if full == name {
			found = l
			break
		}
		if full != "" && strings.HasPrefix(full, name) {
			found = l
		}
	}
	full := strings.TrimRight(found, ":")
	switch colons := len(found) - len(full); {
	case found == "" || has && colons == 0:
		g.wrong = "unrecognized option '--" + w + "'"
		return false
	case colons == 0:
		g.options = append(g.options, " --"+full)
	case colons == 2 || has:
		g.options = append(g.options, " --"+full+quoted(value))
	case len(g.words) == 0:
		g.wrong = "option '--" + full + "' requires an argument"
		return false
	default:
		g.options = append(g.options, " --"+full+quoted(g.words[0]))
		g.words = g.words[1:]
	}
	return true
}

// cluster reads short options in one word.
func (g *optionReader) cluster(w string) bool {
	for n := range len(w) {
		at := strings.IndexByte(g.short, w[n])
		if at < 0 || w[n] == ':' {
			g.wrong = "invalid option -- '" + w[n:n+1] + "'"
			return false
		}
		rest := g.short[at+1:]
		colons := len(rest) - len(strings.TrimLeft(rest, ":"))
		switch {
		case colons == 0:
			g.options = append(g.options, " -"+w[n:n+1])
			continue
		case n+1 < len(w) || colons == 2:
			g.options = append(g.options, " -"+w[n:n+1]+quoted(w[n+1:]))
		case len(g.words) == 0:
			g.wrong = "option requires an argument -- '" + w[n:n+1] + "'"
			return false
		default:
			g.options = append(g.options, " -"+w[n:n+1]+quoted(g.words[0]))
			g.words = g.words[1:]
		}
		return true
	}
	return true
}
