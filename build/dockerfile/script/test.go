package script

import (
	"strings"
)

// decide carries out a command of the shell that decides: [ and test, true, false, exit. known is
// false for any other.
func (s *shell) decide(c *Command) (ok, known bool) {
	name := c.Args[0].Text
	var words []string
	for _, w := range c.Args[1:] {
		if w.Pattern != "" && (name == "[" || name == "test") {
			s.add(w.Text, "%s in %s may match names of files: put it in quotes", w.Text, name)
			return true, true
		}
		words = append(words, w.Text)
	}
	switch name {
	case "[", "test":
		if c.Output != nil || c.Input != nil {
			s.add(name, "%s neither reads nor writes: leave the redirection out", name)
			return true, true
		}
		if name == "[" {
			if len(words) == 0 || words[len(words)-1] != "]" {
				s.add("[", "[ has no ] at its end")
				return true, true
			}
			words = words[:len(words)-1]
		}
		ok, why := test(words)
		if why != "" {
			s.add(name, "%s %s: %s", name, strings.Join(words, " "), why)
			return true, true
		}
		return ok, true
	case "false", "exit":
		if c.Output != nil || c.Input != nil {
			s.add(name, "%s neither reads nor writes: leave the redirection out", name)
			return true, true
		}
		if name == "false" {
			return false, true
		}
		s.ended = true
		if len(words) != 1 || words[0] != "0" {
			s.add("exit", "exit %s ends the line with an error, and so the build", strings.Join(words, " "))
		}
		return true, true
	}
	return true, false
}

// test is [ where it compares words. What it says of files is not known.
func test(words []string) (ok bool, why string) {
	const unknown = "it is not known here: it compares words with =, !=, -z and -n only"
	switch n := len(words); {
	case n == 0:
		return false, ""
	case n == 1:
		return words[0] != "", ""
	case n == 2 && words[0] == "!":
		return words[1] == "", ""
	case n == 2 && words[0] == "-n":
		return words[1] != "", ""
	case n == 2 && words[0] == "-z":
		return words[1] == "", ""
	case n == 3 && words[1] == "=":
		return words[0] == words[2], ""
	case n == 3 && words[1] == "!=":
		return words[0] != words[2], ""
	case n == 3 && words[1] == "==" && words[0] != words[2]: // or an error, which decides the same
		return false, ""
	case n == 3 && words[1] == "==":
		return false, "== is an error in some shells: write ="
	case n == 4 && words[0] == "!":
		ok, why = test(words[1:])
		return !ok, why
	}
	return false, unknown
}
