package maintainer

import (
	"errors"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// awkProgram is what is known of awk: /EXPRESSION/ { print FIELDS }.
var awkProgram = lazyregexp.New(`^\s*(!?)(?:/((?:[^/\\]|\\.)*)/)?\s*(?:\{\s*print\s*([^{};]*?)\s*;?\s*\})?\s*$`)

// awk is awk with a program that prints fields of lines.
func awk(c *call) (int, error) {
	args := c.args
	by := ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-F") {
		if by = args[0][2:]; by == "" && len(args) > 1 {
			by, args = args[1], args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return c.usage(2)
	}
	lasting := strings.Contains(args[0], "BEGIN") || strings.Contains(args[0], "END")
	if len(args) == 1 && !lasting && c.In.Empty() {
		return 0, nil // it has no line to do anything with
	}
	if do := awkKnown[args[0]]; do != nil {
		text, status, err := c.all(args[1:])
		return c.printLines(do(lines(text)), status, err)
	}
	m := awkProgram.FindStringSubmatch(args[0])
	if m == nil || args[0] == "" || len(by) > 1 {
		return 0, errors.New("has a program that is not known here: " + instead)
	}
	re, err := expression(m[2], true, false)
	if err != nil {
		return 0, err
	}
	text, status, err := c.all(args[1:])
	var out []string
	for _, line := range lines(text) {
		if re.MatchString(line) == (m[1] == "!") {
			continue
		}
		fields := strings.Fields(line)
		if by != "" {
			fields = strings.Split(line, by)
		}
		printed, ok := awkPrint(m[3], line, fields)
		if !ok {
			return 0, errors.New("prints what is not known here: " + instead)
		}
		out = append(out, printed)
	}
	return c.printLines(out, status, err)
}

// awkPrint returns what print prints: fields with commas between them.
func awkPrint(list, line string, fields []string) (string, bool) {
	if list == "" {
		return line, true
	}
	var all []string
	for _, item := range strings.Split(list, ",") {
		item = strings.TrimSpace(item)
		number, ok := strings.CutPrefix(item, "$")
		n, err := strconv.Atoi(number)
		if number == "NF" {
			n, err = len(fields), nil
		}
		switch {
		case !ok || err != nil || n < 0:
			return "", false
		case n == 0:
			all = append(all, line)
		case n <= len(fields):
			all = append(all, fields[n-1])
		default:
			all = append(all, "")
		}
	}
	return strings.Join(all, " "), true
}

// awkKnown are longer programs that occur, by their text.
var awkKnown = map[string]func([]string) []string{
	`{if ($1 ~ /^Package:/) { package=$2 } else if ($0 ~ /^Status: .* installed$/) { print package }}`: installed,
	`/^LANG=/ {gsub("\"", ""); sub("LANG=", ""); lang=$0;} END {print lang}`: func(list []string) []string { // locales
		lang := ""
		for _, l := range list {
			if strings.HasPrefix(l, "LANG=") {
				lang = strings.Replace(strings.ReplaceAll(l, `"`, ""), "LANG=", "", 1)
			}
		}
		return []string{lang}
	},
}

// installed returns the packages of an output of dpkg -s that are installed: libpam0g.
func installed(list []string) []string {
	var out []string
	name := ""
	for _, l := range list {
		switch f := strings.Fields(l); {
		case len(f) > 0 && strings.HasPrefix(f[0], "Package:"):
			if name = ""; len(f) > 1 {
				name = f[1]
			}
		case strings.HasPrefix(l, "Status: ") && strings.HasSuffix(l, " installed"):
			out = append(out, name)
		}
	}
	return out
}
