package maintainer

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// lines splits a text into its lines, without their ends.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// all returns what is in files, or what is piped in.
func (c *call) all(names []string) ([]byte, int, error) {
	texts, ok, err := c.inputs(names)
	status := 0
	if !ok {
		status = 1
	}
	return bytes.Join(texts, nil), status, err
}

func cat(c *call) (int, error) {
	text, status, err := c.all(c.args)
	if err == nil {
		_, err = c.Out.Write(text)
	}
	return status, err
}

func tac(c *call) (int, error) {
	text, status, err := c.all(c.args)
	list := lines(text)
	slices.Reverse(list)
	return c.printLines(list, status, err)
}

func (c *call) printLines(list []string, status int, err error) (int, error) {
	if err != nil || len(list) == 0 {
		return status, err
	}
	_, err = c.Out.Write([]byte(strings.Join(list, "\n") + "\n"))
	return status, err
}

// tee copies what is piped in to files.
func tee(c *call) (int, error) {
	text := c.In.All()
	for _, name := range c.args {
		before, _, err := c.read(name)
		if err != nil {
			return 0, err
		}
		if !c.has("a") {
			before = nil
		}
		if name == "/dev/null" {
			continue
		}
		if err := c.write(name, append(slices.Clone(before), text...), 0o644); err != nil {
			return 0, err
		}
	}
	_, err := c.Out.Write(text)
	return 0, err
}

// headTail is head and tail.
func headTail(c *call) (int, error) {
	n, from := 10, false
	var err error
	count := c.value("n")
	for _, digits := range "0123456789" {
		if c.has(string(digits)) { // -1
			count = string(digits)
		}
	}
	if count != "" {
		from = count[0] == '+'
		if n, err = strconv.Atoi(strings.TrimPrefix(count, "+")); err != nil || n < 0 {
			return 0, fmt.Errorf("-n %s is not known here", count)
		}
	}
	head := path.Base(c.Args[0]) == "head"
	text, status, err := c.all(c.args)
	if err != nil {
		return 0, err
	}
	if c.has("c") {
		if n, err = strconv.Atoi(c.value("c")); err != nil || n < 0 {
			return 0, fmt.Errorf("-c %s is not known here", c.value("c"))
		}
		if n = min(n, len(text)); head {
			text = text[:n]
		} else {
			text = text[len(text)-n:]
		}
		_, err := c.Out.Write(text)
		return status, err
	}
	list := lines(text)
	switch {
	case head:
		list = list[:min(n, len(list))]
	case from:
		list = list[min(max(n-1, 0), len(list)):]
	default:
		list = list[len(list)-min(n, len(list)):]
	}
	return c.printLines(list, status, nil)
}

// ranges reads a list such as 1,3- of cut.
func ranges(s string) (func(n int) bool, error) {
	type span struct{ from, to int }
	var all []span
	for _, part := range strings.Split(s, ",") {
		a, b, dash := strings.Cut(part, "-")
		from, err1 := strconv.Atoi("0" + a)
		to, err2 := strconv.Atoi("0" + b)
		if err1 != nil || err2 != nil || part == "" {
			return nil, fmt.Errorf("the list %s is not known here", s)
		}
		switch {
		case !dash:
			to = from
		case b == "":
			to = 1 << 30
		}
		all = append(all, span{max(from, 1), to})
	}
	return func(n int) bool {
		return slices.ContainsFunc(all, func(s span) bool { return n >= s.from && n <= s.to })
	}, nil
}

func cutCommand(c *call) (int, error) {
	by := "\t"
	if c.has("d") {
		by = c.value("d")
	}
	what := c.value("f") + c.value("c") + c.value("b")
	in, err := ranges(what)
	if err != nil {
		return 0, err
	}
	if by == "" {
		return 0, errors.New("has no delimiter")
	}
	text, status, err := c.all(c.args)
	var out []string
	for _, line := range lines(text) {
		if !c.has("f") {
			var b strings.Builder
			for n := range len(line) {
				if in(n + 1) {
					b.WriteByte(line[n])
				}
			}
			out = append(out, b.String())
			continue
		}
		fields := strings.Split(line, by)
		if len(fields) == 1 {
			if !c.has("s") {
				out = append(out, line)
			}
			continue
		}
		var list []string
		for n, f := range fields {
			if in(n + 1) {
				list = append(list, f)
			}
		}
		out = append(out, strings.Join(list, by))
	}
	return c.printLines(out, status, err)
}

// sortCommand sorts lines by their bytes, as in the C locale, or by a number at their beginning.
func sortCommand(c *call) (int, error) {
	if c.has("k", "t", "V", "z") && (c.value("k") != "1" && c.value("k") != "1,1" || c.has("V", "z")) {
		return 0, errors.New("sorts by fields, which is not known here: " + instead)
	}
	text, status, err := c.all(c.args)
	list := lines(text)
	number := func(s string) float64 {
		s = strings.TrimLeft(s, " \t")
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' || n == 0 && s[n] == '-') {
			n++
		}
		f, _ := strconv.ParseFloat(s[:n], 64)
		return f
	}
	slices.SortStableFunc(list, func(a, b string) int {
		if c.has("n") {
			if x, y := number(a), number(b); x != y {
				if x < y {
					return -1
				}
				return 1
			}
		}
		return strings.Compare(a, b)
	})
	if c.has("r") {
		slices.Reverse(list)
	}
	if c.has("u") {
		list = slices.Compact(list)
	}
	if c.has("o") {
		return status, first(err, c.write(c.value("o"), []byte(strings.Join(append(list, ""), "\n")), 0o644))
	}
	return c.printLines(list, status, err)
}

func uniq(c *call) (int, error) {
	text, status, err := c.all(c.args)
	var out []string
	list := lines(text)
	for n := 0; n < len(list); {
		m := n + 1
		for m < len(list) && list[m] == list[n] {
			m++
		}
		switch count := m - n; {
		case c.has("c"):
			out = append(out, fmt.Sprintf("%7d %s", count, list[n]))
		case c.has("d") && count == 1, c.has("u") && count > 1:
		default:
			out = append(out, list[n])
		}
		n = m
	}
	return c.printLines(out, status, err)
}
