package maintainer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// matches reports whether a pattern of the shell matches a whole text.
func matches(pat, text string) bool {
	if len(pat) > 1000 {
		return false
	}
	re, err := pattern.Regexp(pat, pattern.EntireString)
	if err != nil {
		return pat == text
	}
	x, err := regexp.Compile(re)
	return err == nil && x.MatchString(text)
}

func (r *run) architecture() string { return cmp.Or(r.Architecture, "amd64") }

// dpkg answers questions about packages and versions. It installs nothing.
func dpkg(c *call) (int, error) {
	args := slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return a == "--root=" })
	if len(args) == 0 {
		return c.usage(2)
	}
	what, args := args[0], args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	switch what {
	case "--compare-versions":
		return c.compareVersions(args)
	case "--print-architecture":
		return c.print(c.r.architecture() + "\n")
	case "--print-foreign-architectures":
		text, _, err := c.read(admin + "/arch")
		if err != nil {
			return 0, err
		}
		own := func(a string) bool { return a == c.r.architecture() }
		return c.printLines(slices.DeleteFunc(lines(text), own), 0, nil)
	case "--version":
		return c.print("Debian 'dpkg' package management program version 1.21.23 (amd64).\n")
	case "-L", "--listfiles":
		return c.listFiles(args)
	case "-S", "--search":
		return c.searchFiles(args)
	case "-s", "--status":
		return c.printStatus(args)
	case "-l", "--list":
		return c.listPackages(args)
	}
	if strings.HasPrefix(what, "--assert-") || strings.HasPrefix(what, "--validate-") {
		return 0, nil
	}
	return 0, unknownOption(what)
}

// compareVersions is dpkg --compare-versions A OP B.
func (c *call) compareVersions(args []string) (int, error) {
	if len(args) != 3 {
		return c.usage(2)
	}
	a, op, b := args[0], args[1], args[2]
	n := debian.Compare(strings.TrimSpace(a), strings.TrimSpace(b))
	// an empty version is earlier than any other, or later with the operators that end in -nl
	if later := strings.HasSuffix(op, "-nl"); a == "" || b == "" {
		switch n = 0; {
		case a == "" && b != "":
			n = -1
		case a != "" && b == "":
			n = 1
		}
		if later {
			n = -n
		}
	}
	var ok bool
	switch strings.TrimSuffix(op, "-nl") {
	case "lt", "<<":
		ok = n < 0
	case "le", "<=", "<":
		ok = n <= 0
	case "eq", "=":
		ok = n == 0
	case "ne":
		ok = n != 0
	case "ge", ">=", ">":
		ok = n >= 0
	case "gt", ">>":
		ok = n > 0
	default:
		return 0, unknownOption(op)
	}
	if ok {
		return 0, nil
	}
	return 1, nil
}

func (c *call) listFiles(names []string) (int, error) {
	status := 0
	for n, name := range names {
		found, err := c.r.named(name)
		if err != nil {
			return 0, err
		}
		if len(found) == 0 {
			c.Err.Printf("dpkg-query: package '%s' is not installed\n", name)
			status = 1
			continue
		}
		if n > 0 {
			c.Out.Printf("\n")
		}
		list, err := c.r.files(found[0])
		if err != nil {
			return 0, err
		}
		if len(list) == 0 {
			list = []string{"Package '" + name + "' does not contain any files (!)"}
		}
		if _, err := c.printLines(list, 0, nil); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// searchFiles is dpkg -S: which packages have files that a pattern matches.
func (c *call) searchFiles(pats []string) (int, error) {
	all, err := c.r.status()
	if err != nil {
		return 0, err
	}
	status := 0
	for _, pat := range pats {
		hit := false
		if !strings.ContainsAny(pat, "*?[/") {
			pat = "*" + pat + "*"
		}
		owners := map[string][]string{}
		var order []string
		for _, p := range all {
			files, err := c.r.files(p)
			if err != nil {
				return 0, err
			}
			for _, f := range files {
				if f == pat || strings.ContainsAny(pat, "*?[") && matches(pat, f) {
					if owners[f] == nil {
						order = append(order, f)
					}
					owners[f] = append(owners[f], p.id())
				}
			}
		}
		for _, f := range order {
			hit = true
			c.Out.Printf("%s: %s\n", strings.Join(owners[f], ", "), f)
		}
		if !hit {
			c.Err.Printf("dpkg-query: no path found matching pattern %s\n", pat)
			status = 1
		}
	}
	return status, nil
}

func (c *call) printStatus(names []string) (int, error) {
	status := 0
	for _, name := range names {
		found, err := c.r.named(name)
		if err != nil {
			return 0, err
		}
		if len(found) == 0 {
			c.Err.Printf("dpkg-query: package '%s' is not installed and no information is available\n", name)
			status = 1
			continue
		}
		for _, key := range []string{"package", "status", "architecture", "multi-arch", "version", "conffiles"} {
			if v := found[0][key]; v != "" {
				c.Out.Printf("%s: %s\n", strings.ToUpper(key[:1])+key[1:], v)
			}
		}
	}
	return status, nil
}

func (c *call) listPackages(pats []string) (int, error) {
	status := 0
	for n, pat := range pats {
		found, err := c.r.named(pat)
		if err != nil {
			return 0, err
		}
		if len(found) == 0 {
			c.Err.Printf("dpkg-query: no packages found matching %s\n", pat)
			status = 1
			continue
		}
		if n == 0 {
			c.Out.Printf("||/ Name Version Architecture Description\n+++-====-=======-============-===========\n")
		}
		for _, p := range found {
			short, _, _ := strings.Cut(p["description"], "\n")
			c.Out.Printf("%s %s %s %s %s\n", p.abbreviation(), p.id(), p["version"], p["architecture"], short)
		}
	}
	return status, nil
}
