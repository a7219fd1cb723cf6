package maintainer

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// dpkgQuery is dpkg-query.
func dpkgQuery(c *call) (int, error) {
	switch {
	case c.has("L"):
		return c.listFiles(c.args)
	case c.has("S"):
		return c.searchFiles(c.args)
	case c.has("s"):
		return c.printStatus(c.args)
	case c.has("l"):
		return c.listPackages(c.args)
	case c.has("control-path"):
		return c.controlPath()
	case !c.has("W"):
		return 0, unknownOption(strings.Join(c.Args[1:], " "))
	}
	format := "${binary:Package}\t${Version}\n"
	if c.has("f") {
		format = strings.TrimPrefix(c.value("f"), "=")
	}
	names := c.args
	if len(names) == 0 {
		names = []string{"*"}
	}
	status := 0
	for _, name := range names {
		found, err := c.r.named(name)
		if err != nil {
			return 0, err
		}
		if len(found) == 0 {
			c.Err.Printf("dpkg-query: no packages found matching %s\n", name)
			status = 1
			continue
		}
		for _, p := range found {
			text, err := formatted(format, p)
			if err != nil {
				return 0, err
			}
			if _, err := c.print(text); err != nil {
				return 0, err
			}
		}
	}
	return status, nil
}

// formatted fills in a format of dpkg-query.
func formatted(format string, p stanza) (string, error) {
	var b strings.Builder
	for format != "" {
		switch {
		case strings.HasPrefix(format, `\n`), strings.HasPrefix(format, `\t`), strings.HasPrefix(format, `\\`):
			b.WriteByte(map[byte]byte{'n': '\n', 't': '\t', '\\': '\\'}[format[1]])
			format = format[2:]
		case strings.HasPrefix(format, "${"):
			end := strings.IndexByte(format, '}')
			if end < 0 {
				return "", fmt.Errorf("the format %s does not end", format)
			}
			name, width, padded := strings.Cut(format[2:end], ";")
			text, err := fieldOf(p, name)
			if err != nil {
				return "", err
			}
			if padded {
				n, err := strconv.Atoi(width)
				if err != nil || n > 1000 || n < -1000 {
					return "", fmt.Errorf("the format ${%s} is not known here", format[2:end])
				}
				text = fmt.Sprintf("%*s", n, text)
			}
			b.WriteString(text)
			format = format[end+1:]
		default:
			b.WriteByte(format[0])
			format = format[1:]
		}
	}
	return b.String(), nil
}

func fieldOf(p stanza, name string) (string, error) {
	want, flag, state := p.state()
	switch lower := strings.ToLower(name); lower {
	case "binary:package":
		return p.id(), nil
	case "db:status-want":
		return want, nil
	case "db:status-eflag":
		return flag, nil
	case "db:status-status":
		return state, nil
	case "db:status-abbrev":
		return p.abbreviation(), nil
	case "binary:summary":
		short, _, _ := strings.Cut(p["description"], "\n")
		return short, nil
	case "source:package", "source:version":
		source, version, _ := strings.Cut(cmp.Or(p["source"], p["package"]), " ")
		if lower == "source:package" {
			return source, nil
		}
		return cmp.Or(strings.Trim(version, "()"), p["version"]), nil
	default:
		if strings.Contains(lower, ":") {
			return "", fmt.Errorf("the field ${%s} is not known here", name)
		}
		return p[lower], nil
	}
}

// controlPath prints where the control files of a package are.
func (c *call) controlPath() (int, error) {
	if len(c.args) == 0 {
		return c.usage(2)
	}
	found, err := c.r.named(c.args[0])
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		c.Err.Printf("dpkg-query: package '%s' is not installed\n", c.args[0])
		return 1, nil
	}
	names, err := c.r.t.ReadDir(admin + "/info")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		ext, ok := strings.CutPrefix(name, found[0].id()+".")
		if !ok || ext == "list" || len(c.args) > 1 && ext != c.args[1] {
			continue
		}
		if _, err := c.print(admin + "/info/" + name + "\n"); err != nil {
			return 0, err
		}
	}
	return 0, nil
}
