package run

import (
	"cmp"
	"strconv"
	"strings"
)

// cut is cut -cFROM-TO and cut -dX -fN.
func cut(r *runner, o options, names []string, input func() string) string {
	text := ended(r.lines(names, input))
	switch by := o.value("d"); {
	case o.has("c") && !o.has("d", "f"):
		from, to, dash := strings.Cut(o.value("c"), "-")
		first, err := strconv.ParseUint(cmp.Or(from, "1"), 10, 16)
		last := uint64(1 << 20)
		if !dash {
			last = first
		} else if to != "" && err == nil {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || first == 0 || last < first || from+to == "" {
			fail("cut -c %s is not known here: write -cFROM-TO", o.value("c"))
		}
		return eachLine(text, func(line string) (string, bool) {
			return line[min(int(first)-1, len(line)):min(int(last), len(line))], true
		})
	case o.has("f") && !o.has("c") && (!o.has("d") || len(by) == 1):
		n, err := strconv.ParseUint(o.value("f"), 10, 16)
		if err != nil || n == 0 {
			fail("cut -f %s is not known here: write one number", o.value("f"))
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
	fail("cut is known here with -c, or -d and -f, only")
	return ""
}

// head is head -n N.
func head(r *runner, _ options, words []string, input func() string) string {
	if len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "0123456789") == "" {
		words = append([]string{"-n", words[0][1:]}, words[1:]...)
	}
	o, names, err := command{letters: "n:", most: 1}.parse(words)
	check(err)
	left, err := strconv.ParseUint(cmp.Or(o.value("n"), "10"), 10, 16)
	if err != nil || o.has("n") && o.value("n") == "" {
		fail("head -n %s is not a number", o.value("n"))
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
		failAt(words[0], "awk is known here as awk '{print $N}' only")
	}
	return eachLine(ended(r.lines(words[1:], input)), func(line string) (string, bool) {
		if fields := strings.Fields(line); len(fields) >= int(n) {
			return fields[n-1], true
		}
		return "", true
	})
}
