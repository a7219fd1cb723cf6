package maintainer

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"

	"github.com/slipway-dev/slipway/build/layer"
)

// finder is find with its tests.
type finder struct {
	c        *call
	tests    []func(name string, s spot) (bool, error)
	actions  int
	min, max int
	depth    bool
	follow   bool
	status   int
}

// find finds files: by name, type and path, and prints, removes or hands them to a command.
func find(c *call) (int, error) {
	args := c.args
	f := &finder{c: c, max: 1 << 20}
	for len(args) > 0 && (args[0] == "-L" || args[0] == "-H" || args[0] == "-P") {
		f.follow = args[0] == "-L"
		args = args[1:]
	}
	var roots []string
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != "!" && args[0] != "(" {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if err := f.parse(args); err != nil {
		return 0, err
	}
	if f.actions == 0 {
		f.tests = append(f.tests, f.print("\n"))
	}
	for _, root := range roots {
		s, err := c.at(root)
		if strings.HasSuffix(root, "/") || f.follow {
			s, err = c.to(root)
		}
		if err != nil {
			return 0, err
		}
		if s.n == nil {
			f.status, _ = c.fail("‘%s’: No such file or directory", root)
			continue
		}
		if err := f.visit(root, s, 0); err != nil {
			return 0, err
		}
	}
	return f.status, nil
}

func (f *finder) parse(args []string) error {
	not := false
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		value := func() string {
			if len(args) == 0 {
				return ""
			}
			v := args[0]
			args = args[1:]
			return v
		}
		var test func(name string, s spot) (bool, error)
		var err error
		switch word {
		case "!", "-not":
			not = !not
			continue
		case "-a", "-and", "-xdev", "-mount", "-noleaf":
			continue
		case "-depth":
			f.depth = true
			continue
		case "-mindepth", "-maxdepth":
			n, err := strconv.Atoi(value())
			if err != nil {
				return unknownOption(word)
			}
			if f.min = max(f.min, n); word == "-maxdepth" {
				f.min, f.max = 0, n
			}
			continue
		case "-exec":
			end := 0
			for end < len(args) && args[end] != ";" && args[end] != "+" {
				end++
			}
			if end == len(args) {
				return unknownOption(word)
			}
			test = f.exec(args[:end])
			args = args[end+1:]
		default:
			test, err = f.test(word, value)
		}
		if err != nil {
			return err
		}
		if not {
			is := test
			test = func(name string, s spot) (bool, error) { ok, err := is(name, s); return !ok, err }
			not = false
		}
		f.tests = append(f.tests, test)
	}
	return nil
}

// test returns one test or action.
func (f *finder) test(word string, value func() string) (func(string, spot) (bool, error), error) {
	switch word {
	case "-name", "-path", "-wholename", "-iname":
		text, err := pattern.Regexp(value(), pattern.EntireString)
		if err != nil {
			return nil, unknownOption(word)
		}
		if word == "-iname" {
			text = "(?i)" + text
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, unknownOption(word)
		}
		return func(name string, _ spot) (bool, error) {
			if strings.HasSuffix(word, "name") && word != "-wholename" {
				name = path.Base(name)
			}
			return re.MatchString(name), nil
		}, nil
	case "-type":
		kinds := value()
		return func(_ string, s spot) (bool, error) {
			return s.regular() && strings.Contains(kinds, "f") || s.dir() && strings.Contains(kinds, "d") ||
				s.link() && strings.Contains(kinds, "l"), nil
		}, nil
	case "-empty":
		return f.empty, nil
	case "-print":
		return f.print("\n"), nil
	case "-print0":
		return f.print("\x00"), nil
	case "-delete":
		f.depth = true
		f.actions++
		return func(_ string, s spot) (bool, error) { return true, f.c.r.t.Erase(s.p) }, nil
	}
	return nil, unknownOption(word)
}

func (f *finder) print(end string) func(string, spot) (bool, error) {
	f.actions++
	return func(name string, _ spot) (bool, error) {
		_, err := f.c.Out.Write([]byte(name + end))
		return true, err
	}
}

func (f *finder) empty(_ string, s spot) (bool, error) {
	switch {
	case s.dir():
		names, err := f.c.r.t.ReadDir(s.p)
		return len(names) == 0, err
	case s.regular():
		content, err := s.n.Content()
		return content.Size == 0, err
	}
	return false, nil
}

// exec hands each file to a command.
func (f *finder) exec(words []string) func(string, spot) (bool, error) {
	f.actions++
	return func(name string, _ spot) (bool, error) {
		args := make([]string, len(words))
		for n, w := range words {
			args[n] = strings.ReplaceAll(w, "{}", name)
		}
		status, err := f.c.call(args, nil)
		return status == 0, err
	}
}

func (f *finder) visit(name string, s spot, depth int) error {
	if err := f.c.ctx.Err(); err != nil {
		return err
	}
	if f.follow && s.link() {
		if to, err := f.c.to(s.p); err != nil || to.n != nil && to.n.Kind == layer.Regular {
			s = to
		} else if to.dir() {
			return fmt.Errorf("follows the link %s to a directory, which is not known here", s.p)
		}
	}
	check := func() error {
		if depth < f.min {
			return nil
		}
		for _, t := range f.tests {
			if ok, err := t(name, s); err != nil || !ok {
				return err
			}
		}
		return nil
	}
	if !f.depth {
		if err := check(); err != nil {
			return err
		}
	}
	if s.dir() && depth < f.max {
		names, err := f.c.r.t.ReadDir(s.p)
		if err != nil {
			return err
		}
		for _, n := range names {
			p := path.Join(s.p, n)
			k, err := f.c.r.t.Lstat(p)
			if err != nil {
				return err
			}
			if k == nil {
				continue
			}
			if err := f.visit(strings.TrimSuffix(name, "/")+"/"+n, spot{p, k}, depth+1); err != nil {
				return err
			}
		}
	}
	if f.depth {
		return check()
	}
	return nil
}
