package script

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// The commands of the shell itself: those whose status decides what runs next, and those that set
// variables and options.
var (
	deciders = []string{"[", "test", "[[", "false", "exit"}
	setters  = []string{"export", "set"}
)

// decide carries out one of deciders. known is false for any other command.
func (s *shell) decide(c *Command) (ok, known bool) {
	name := c.Args[0].Text
	if !slices.Contains(deciders, name) {
		return true, false
	}
	if c.Output != nil || c.Input != nil {
		s.add(name, "%s neither reads nor writes: leave the redirection out", name)
		return true, true
	}
	switch name {
	case "false":
		return false, true
	case "exit":
		s.exits(c.Args[1:])
		return true, true
	case "[[":
		if !s.bash {
			s.add("[[", "[[ is not known to every shell: write [, or SHELL [\"/bin/bash\", \"-c\"] above it")
			return true, true
		}
	}
	before := len(s.found)
	var words []string
	for _, w := range c.Args[1:] {
		words = append(words, s.names(w)...)
	}
	if len(s.found) > before || s.lost {
		return true, true
	}
	if end := map[string]string{"[": "]", "[[": "]]"}[name]; end != "" {
		if len(words) == 0 || words[len(words)-1] != end {
			s.add(name, "%s has no %s at its end", name, end)
			return true, true
		}
		words = words[:len(words)-1]
	}
	why := ""
	if name == "[[" {
		why = doubled(words)
	}
	if why == "" {
		ok, why = s.test(words)
	}
	if why != "" {
		s.add(name, "%s %s: %s", name, strings.Join(words, " "), why)
	}
	return ok || why != "" || s.lost, true
}

// exits carries out exit. In a subshell that is the status of all of it.
func (s *shell) exits(words []Word) {
	s.ended, s.status = true, true
	n := -1
	if len(words) == 1 {
		n, _ = strconv.Atoi(words[0].Text)
	}
	switch {
	case len(words) == 1 && words[0].Text == "0":
	case s.nested && n > 0 && n < 256:
		s.status = false
	default:
		s.add("exit", "%s ends the line with an error, and so the build",
			strings.TrimSpace("exit "+Command{Args: words}.String()))
	}
}

// The operators of [ that compare numbers, and that test a file. Root can read every file.
var (
	numberTests = []string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
	fileTests   = []string{"-e", "-f", "-d", "-s", "-x", "-r", "-h", "-L"}
)

var number = lazyregexp.New(`^-?[0-9]{1,15}$`)

// test is [ without its ].
func (s *shell) test(words []string) (ok bool, why string) {
	const unknown = "it is not supported: it compares words with =, !=, -z and -n, numbers with -eq and the like, " +
		"and files with -e -f -d -s -x -r and -h only"
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
	case n == 2 && slices.Contains(fileTests, words[0]):
		return s.holds(words[0], words[1]), ""
	case n == 3 && words[1] == "=":
		return words[0] == words[2], ""
	case n == 3 && words[1] == "!=":
		return words[0] != words[2], ""
	case n == 3 && words[1] == "==" && (words[0] != words[2] || s.bash): // or an error, which decides the same
		return words[0] == words[2], ""
	case n == 3 && words[1] == "==":
		return false, "== is an error in some shells: write ="
	case n == 3 && number.MatchString(words[0]) && number.MatchString(words[2]):
		return compared(words[0], words[1], words[2], unknown)
	case n == 3 && words[0] == "!" && words[1] != "-a" && words[1] != "-o":
		ok, why = s.test(words[1:])
		return !ok, why
	case n == 4 && words[0] == "!":
		ok, why = s.test(words[1:])
		return !ok, why
	}
	return false, unknown
}

func compared(a, op, b, unknown string) (ok bool, why string) {
	x, _ := strconv.ParseInt(a, 10, 64)
	y, _ := strconv.ParseInt(b, 10, 64)
	if n := slices.Index(numberTests, op); n >= 0 {
		return []bool{x == y, x != y, x < y, x <= y, x > y, x >= y}[n], ""
	}
	return false, unknown
}

// doubled returns why [[ is not read as [ is: what stands behind == is a pattern, numbers are
// expressions, and operators are not words.
func doubled(words []string) (why string) {
	const unknown = "it is supported in [ only"
	n := len(words)
	switch {
	case n == 0, n == 1 && strings.HasPrefix(words[0], "-"), n > 1 && words[0] == "(":
		return unknown
	case n == 2 && words[0] != "!" && !strings.HasPrefix(words[0], "-"):
		return unknown
	case n == 3 && words[0] == "!" && !strings.HasPrefix(words[1], "-"):
		return unknown
	case n >= 3 && strings.ContainsAny(words[n-1], `*?[\(|`) && !strings.HasPrefix(words[n-2], "-"):
		return "what stands behind = is a pattern in bash: write ["
	case n >= 3 && strings.HasPrefix(words[n-2], "-") && (n > 3 || words[0] != "!"):
		return unknown
	}
	return ""
}
