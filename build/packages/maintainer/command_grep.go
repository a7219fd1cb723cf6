package maintainer

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// grep finds lines.
func grep(c *call) (int, error) {
	name := path.Base(c.Args[0])
	fixed := c.has("F") || name == "fgrep"
	extended := c.has("E") || name == "egrep"
	files := c.args
	patterns := c.o["e"]
	if !c.has("e", "f") {
		if len(files) == 0 {
			return c.usage(2)
		}
		patterns, files = files[:1], files[1:]
	}
	if c.has("f") {
		text, _, err := c.read(c.value("f"))
		if err != nil {
			return 0, err
		}
		patterns = append(patterns, lines(text)...)
	}
	var all []*regexp.Regexp
	for _, p := range patterns {
		for _, p := range strings.Split(p, "\n") {
			x, err := grepPattern(p, fixed, extended, c)
			if err != nil {
				return 0, err
			}
			all = append(all, x)
		}
	}
	return c.search(all, files)
}

func (c *call) usage(status int) (int, error) {
	c.Err.Printf("%s: missing operand\n", c.Args[0])
	return status, nil
}

func grepPattern(p string, fixed, extended bool, c *call) (*regexp.Regexp, error) {
	text := regexp.QuoteMeta(p)
	if !fixed {
		var err error
		if text, err = translated(p, extended); err != nil {
			return nil, err
		}
	}
	switch {
	case c.has("x"):
		text = "^(?:" + text + ")$"
	case c.has("w"):
		text = `(?:^|\W)(?:` + text + `)(?:\W|$)`
	}
	if c.has("i", "y") {
		text = "(?i)" + text
	}
	x, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the expression %s is not known here", p)
	}
	x.Longest()
	return x, nil
}

// search prints the lines of files that match.
func (c *call) search(all []*regexp.Regexp, files []string) (int, error) {
	if c.has("r", "R") {
		return 0, fmt.Errorf("-r is not known here: %s", instead)
	}
	named := len(files) > 1 && !c.has("h") || c.has("H")
	if len(files) == 0 {
		files = []string{"-"}
	}
	status := 1
	missing := false
	for _, name := range files {
		text, there, err := c.input(name)
		if err != nil {
			return 0, err
		}
		if !there {
			if missing = true; !c.has("s") {
				c.Err.Printf("%s: %s: No such file or directory\n", c.Args[0], name)
			}
			continue
		}
		found, err := c.searchText(all, name, text, named)
		if err != nil {
			return 0, err
		}
		if found {
			status = 0
		}
	}
	if missing && (status != 0 || !c.has("q")) {
		status = 2
	}
	return status, nil
}

func (c *call) searchText(all []*regexp.Regexp, name string, text []byte, named bool) (bool, error) {
	count := 0
	var out bytes.Buffer
	for n, line := range lines(text) {
		var hit []int
		for _, x := range all {
			if hit = x.FindStringIndex(line); hit != nil {
				break
			}
		}
		if (hit != nil) == c.has("v") {
			continue
		}
		count++
		before := ""
		if named {
			before = name + ":"
		}
		if c.has("n") {
			before += fmt.Sprint(n+1) + ":"
		}
		if c.has("o") {
			for _, x := range all {
				for _, m := range x.FindAllString(line, -1) {
					out.WriteString(before + m + "\n")
				}
			}
		} else {
			out.WriteString(before + line + "\n")
		}
		if c.has("q") || c.has("m") && fmt.Sprint(count) == c.value("m") {
			break
		}
	}
	switch {
	case c.has("q"):
		return count > 0, nil
	case c.has("c"):
		out.Reset()
		if named {
			out.WriteString(name + ":")
		}
		fmt.Fprintf(&out, "%d\n", count)
	case c.has("l"):
		if out.Reset(); count > 0 {
			out.WriteString(name + "\n")
		}
	case c.has("L"):
		if out.Reset(); count == 0 {
			out.WriteString(name + "\n")
		}
	}
	_, err := c.Out.Write(out.Bytes())
	return count > 0, err
}

// input returns the content of a file, or what is piped in for a dash.
func (c *call) input(name string) ([]byte, bool, error) {
	if name == "-" {
		return c.In.All(), true, nil
	}
	return c.read(name)
}
